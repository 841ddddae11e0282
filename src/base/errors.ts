/** Errors meant for people: what was wrong and what to do. */

import { EXIT_DAMAGED } from './exitCodes.ts'

/** A mistake of the user who started the program. The CLI prints the message and the advice, without a stack. */
export class UserError extends Error {
  override readonly name: string = 'UserError'
  /** What to do about it; empty when the message says it. */
  readonly advice: string
  /** With which the program ends because of it. */
  readonly exitCode: number = 1

  constructor(message: string, advice = '') {
    super(message)
    this.advice = advice
  }
}

/** The store's file is damaged: what it says can't be trusted, and a restart does not help. */
export class DamageError extends UserError {
  override readonly name: string = 'DamageError'
  override readonly exitCode: number = EXIT_DAMAGED
}

/** The exit code of a program that ends because of an error. */
export function exitCodeOf(error: unknown): number {
  return error instanceof UserError ? error.exitCode : 1
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
