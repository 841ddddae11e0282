/** Why there is no answer of a model. */

/** Why a model was not run. */
export type InferenceCode =
  | 'unknown-model'
  | 'unsupported-model'
  | 'prompt-too-long'
  | 'bad-parameters'
  | 'engine-unavailable'
  | 'engine-failed'

/** A generation that did not happen. The message is fit for the person who submitted the job. */
export class InferenceError extends Error {
  override readonly name = 'InferenceError'
  readonly code: InferenceCode

  constructor(code: InferenceCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }

  /** Whether another operator, or another try, may do better: false where the job itself is the reason. */
  get retry(): boolean {
    return this.code !== 'prompt-too-long' && this.code !== 'bad-parameters'
  }
}
