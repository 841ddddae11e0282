/** How failures look on the terminal: what was wrong, what to do; a stack only for faults of the program itself. */
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
