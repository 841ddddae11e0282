/** Reasons why a light block cannot be trusted. */

/**
 * - `expired`: the trusted header is older than the trusting period.
 * - `notEnoughTrust`: too few of the trusted validators signed; a header in between may help.
 * - `invalid`: the header, its commit or its validators are wrong.
 * - `unavailable`, `tooHigh`, `malformed`: a provider has no such block, not yet, or returns something malformed.
 * - `unconfirmed`: no witness has the primary's block.
 * - `attack`: two different blocks are signed for one height.
 */
export type LightErrorCode =
  | 'expired'
  | 'notEnoughTrust'
  | 'invalid'
  | 'unavailable'
  | 'tooHigh'
  | 'malformed'
  | 'unconfirmed'
  | 'attack'

/** A light block that cannot be trusted; `message` says what was checked and found. */
export class LightError extends Error {
  override readonly name: string = 'LightError'
  readonly code: LightErrorCode

  constructor(code: LightErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
