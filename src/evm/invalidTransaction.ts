/** Why a transaction may not enter a block, in go-ethereum's wording: clients match on it (D12). */

export type InvalidTransactionCode =
  | 'nonce-too-low'
  | 'nonce-too-high'
  | 'nonce-max'
  | 'sender-not-eoa'
  | 'gas-limit-too-high'
  | 'tip-above-fee-cap'
  | 'fee-cap-too-low'
  | 'insufficient-funds'
  | 'insufficient-funds-for-transfer'
  | 'intrinsic-gas'
  | 'floor-data-gas'
  | 'init-code-too-large'
  | 'type-not-supported'
  | 'empty-authorization-list'
  | 'set-code-creation'
  | 'blob-fee-cap-too-low'
  | 'invalid-blobs'
  | 'block-gas-limit'
  | 'gas-required-exceeds-allowance'

/** The transaction is not valid against the state and the block; nothing was changed. */
export class InvalidTransactionError extends Error {
  override readonly name = 'InvalidTransactionError'
  readonly code: InvalidTransactionCode

  constructor(code: InvalidTransactionCode, message: string) {
    super(message)
    this.code = code
  }
}
