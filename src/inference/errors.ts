/** Errors that explain why a model gave no answer. */

/** Why a model was not run. */
export type InferenceCode =
  | 'unknown-model'
  | 'unsupported-model'
  /** The file is not the one that the job pins. */
  | 'other-model'
  | 'prompt-too-long'
  | 'out-of-memory'
  | 'bad-parameters'
  | 'engine-unavailable'
  | 'engine-failed'

/** A failed generation. The message is meant for the person who submitted the job. */
export class InferenceError extends Error {
  override readonly name = 'InferenceError'
  readonly code: InferenceCode

  constructor(code: InferenceCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Whether another operator, or a retry, may succeed: false if the job itself is the cause. */
  get retry(): boolean {
    return this.code !== 'prompt-too-long' && this.code !== 'bad-parameters'
  }
}
