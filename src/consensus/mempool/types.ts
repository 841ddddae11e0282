/** What the pool needs of the chain, and what it offers to the application and the engines. */
import type { Transaction } from '../../chain/transaction.ts'
import type { Hardfork } from '../../evm/rules.ts'
import type { StateView } from '../../evm/types.ts'
import type { TransactionPool } from '../pool.ts'

/** The pool's view of the chain. */
export type PoolChain = {
  readonly chainId: bigint
  readonly blockGasLimit: bigint
  /** The chain's lowest base fee. */
  readonly minBaseFee: bigint
  /** State after the last block. */
  latest(): StateView
  /** Fork of the next block. */
  nextHardfork(): Hardfork
  /** Base fee that the next block would have now. */
  nextBaseFee(): bigint
  /** Decodes an unsigned transaction, where these are allowed (D56). */
  readonly decodeUnsigned?: (raw: Uint8Array) => Transaction | undefined
}

/** What a committed block changes for the pool. */
export type PoolUpdate = {
  /** Senders, and all other accounts that the block changed, as 40 hex digits. */
  readonly touched: Iterable<string>
  /** Hashes of transactions that were in the block and were refused (D7, code 2). */
  readonly refused: readonly Uint8Array[]
}

export type Mempool = TransactionPool & {
  /** Adds a transaction that another node sent: a restart may forget it. Throws PoolRejection. */
  learn(raw: Uint8Array): Promise<Transaction>
  /**
   * Adds again what was acknowledged before a restart, given in the order of arrival, as far as the state still allows
   * it. Returns what is pooled now.
   */
  restore(raws: readonly Uint8Array[]): Promise<readonly Transaction[]>
  /**
   * Resolves when nothing that has left the pool so far would come back at a restart. Rejects with PoolRejection when
   * the disk is full.
   */
  settled(): Promise<void>
  /** Checks a transaction as `add` does, and changes nothing. Throws PoolRejection. */
  check(raw: Uint8Array): Promise<Transaction>
  /**
   * Adds a transaction that is known from CheckTx alone: no block gets it until it is added as well. It displaces no
   * other, and gives way to every other of its sender (D21a). Throws PoolRejection.
   */
  hold(raw: Uint8Array): Promise<Transaction>
  /** Holds a pooled transaction back no longer, as if it were added. */
  claim(hash: Uint8Array): void
  /** Whether a pooled transaction is held back. */
  isHeld(hash: Uint8Array): boolean
  /** Raw transactions for a block with this base fee: best tip first, nonces in order. */
  select(baseFee: bigint, maxBytes: number): readonly Uint8Array[]
  /**
   * The pooled transaction of the very array that `select` returned: for a block's execution, without hashing it again.
   */
  known(raw: Uint8Array): Transaction | undefined
  /** Whether a block made now would include any transaction. */
  hasExecutable(): boolean
  /** Drops everything. */
  flush(): void
  /** Updates the pool after a block that is on disk. */
  update(update: PoolUpdate): void
}
