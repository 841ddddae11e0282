/** What the transaction pool takes and holds. */

export type PoolLimits = {
  /** Lowest fee cap per gas (minimum-gas-prices); a transaction below it could not enter a block of this node. */
  readonly minGasPrice: bigint
  /** Least raise of both fee fields by a replacement, in percent. */
  readonly priceBump: bigint
  /** Largest transaction in bytes. */
  readonly maxTransactionBytes: number
  /** Pending transactions of one sender that a full pool never takes away. */
  readonly guaranteedPending: number
  /** Most pooled transactions of one sender. */
  readonly senderLimit: number
  /** Most transactions of one sender behind a nonce gap. */
  readonly queueLimit: number
  /** Most transactions in all. */
  readonly size: number
  /** Most bytes of transactions in all. */
  readonly maxBytes: number
  /** A sender's queue is dropped when nothing moved in it for so many milliseconds. */
  readonly queueLifetime: number
}

/** go-ethereum's values where it has one; a sender may have as many pending ones as a busy block takes. */
export const DEFAULT_LIMITS: PoolLimits = {
  minGasPrice: 0n,
  priceBump: 10n,
  maxTransactionBytes: 128 * 1024,
  guaranteedPending: 16,
  senderLimit: 4096,
  queueLimit: 64,
  size: 20_000,
  maxBytes: 256 * 1024 * 1024,
  queueLifetime: 3 * 60 * 60 * 1000,
}
