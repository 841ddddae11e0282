/** How failures are shown on the terminal: what is wrong and what to do; a stack trace only for bugs in the program. */
import { styleText } from 'node:util'
import { messageOf, UserError } from '../base/errors.ts'

/** Writes an error to standard error. */
export function report(error: unknown): void {
  const expected = error instanceof UserError
  const head = process.stderr.isTTY ? styleText('red', 'Error:') : 'Error:'
  process.stderr.write(`${head} ${messageOf(error)}\n`)
  if (expected && error.advice !== '') process.stderr.write(`${error.advice}\n`)
  if (!expected && error instanceof Error) process.stderr.write(`${error.stack ?? ''}\n`)
}
