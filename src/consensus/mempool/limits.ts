/** Limits of the transaction pool. */

export type PoolLimits = {
  /** Minimum price per gas, of what is paid and of the fee cap (minimum-gas-prices); a block of this node has none below. */
  readonly minGasPrice: bigint
  /** Minimum raise of both fee fields by a replacement, in percent. */
  readonly priceBump: bigint
  /** Maximum size of a transaction, in bytes. */
  readonly maxTransactionBytes: number
  /** Number of a sender's pending transactions that a full pool never evicts. */
  readonly guaranteedPending: number
  /** Maximum number of pooled transactions of one sender. */
  readonly senderLimit: number
  /** Maximum number of transactions of one sender after a nonce gap. */
  readonly queueLimit: number
  /** Maximum number of transactions in all. */
  readonly size: number
  /** Maximum total bytes of all transactions. */
  readonly maxBytes: number
  /** A sender's queue is dropped when it has not changed for this many milliseconds. */
  readonly queueLifetime: number
  /** A transaction that is held back is dropped after this many blocks. */
  readonly heldLifetime: number
}

/** The limits that have a configuration key, with their defaults in config/node.ts. */
export type ConfiguredLimits = Pick<
  PoolLimits,
  'minGasPrice' | 'senderLimit' | 'queueLimit' | 'size'
>

/** The limits that have no configuration key: go-ethereum's values where it has one. */
export const FIXED_LIMITS: Omit<PoolLimits, keyof ConfiguredLimits> = {
  priceBump: 10n,
  maxTransactionBytes: 128 * 1024,
  guaranteedPending: 16,
  maxBytes: 256 * 1024 * 1024,
  queueLifetime: 3 * 60 * 60 * 1000,
  // CometBFT checks its pool again after each block; where it is too slow for one block, it is not for ten.
  heldLifetime: 10,
}
