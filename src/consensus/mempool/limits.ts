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

/** The limits that have a configuration key, and so their defaults in config/node.ts. */
export type ConfiguredLimits = Pick<
  PoolLimits,
  'minGasPrice' | 'senderLimit' | 'queueLimit' | 'size'
>

/** The limits that have none: go-ethereum's values where it has one. */
export const FIXED_LIMITS: Omit<PoolLimits, keyof ConfiguredLimits> = {
  priceBump: 10n,
  maxTransactionBytes: 128 * 1024,
  guaranteedPending: 16,
  maxBytes: 256 * 1024 * 1024,
  queueLifetime: 3 * 60 * 60 * 1000,
}
