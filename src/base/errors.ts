/** Errors meant for people: what was wrong and what to do. */

/** A mistake of the user who started the program. The CLI prints the message and the advice, without a stack. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  /** What to do about it; empty when the message says it. */
  readonly advice: string

  constructor(message: string, advice = '') {
    super(message)
    this.advice = advice
  }
}

/** The message of any thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The system code of an error ("ENOENT", "EADDRINUSE", …), or undefined. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined
}
