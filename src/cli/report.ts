/** How failures are shown on the terminal: what is wrong and what to do; a stack trace only for bugs in the program. */
import { styleText } from 'node:util'
import { messageOf, UserError } from '../base/errors.ts'
import { explained } from './systemErrors.ts'

/** Writes an error to standard error. */
export function report(thrown: unknown): void {
  const error = explained(thrown)
  const expected = error instanceof UserError
  const head = process.stderr.isTTY ? styleText('red', 'Error:') : 'Error:'
  process.stderr.write(`${head} ${messageOf(error)}\n`)
  if (expected && error.advice !== '') process.stderr.write(`${error.advice}\n`)
  if (!expected && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`)
}
