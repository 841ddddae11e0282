/** The transaction pool's interface for the rest of the program (mempool.ts implements it). */
import type { Transaction } from '../chain/transaction.ts'

/** A transaction was refused. `message` is go-ethereum's, which clients match on (D12). */
export class PoolRejection extends Error {
  override readonly name = 'PoolRejection'
}

/** Transactions of one sender by group, ordered by nonce. */
export type PoolContent = ReadonlyMap<string, readonly Transaction[]>

export type TransactionPool = {
  /** Checks and adds raw EIP-2718 bytes from a client of this node. Throws PoolRejection. */
  add(raw: Uint8Array): Promise<Transaction>
  /**
   * Resolves when an added transaction survives a restart, and may be acknowledged (D64); undefined when it does, when
   * it is in a block or gone, and where nothing is kept. Rejects with PoolRejection when the disk is full: then the
   * transaction is no longer pooled.
   */
  kept(hash: Uint8Array): Promise<void> | undefined
  get(hash: Uint8Array): Transaction | undefined
  /** The nonce after the sender's contiguous pending transactions. */
  pendingNonce(address: Uint8Array): bigint
  /** Executable now; key is the sender as 40 hex digits. */
  pending(): PoolContent
  /** Waiting after a nonce gap. */
  queued(): PoolContent
  counts(): { readonly pending: number; readonly queued: number }
  /** The transactions of a block with this base fee, at most so many bytes of them: best tip first, nonces in order. */
  chosen(baseFee: bigint, maxBytes: number): readonly Transaction[]
  /** A number that changes with what a block could include. */
  version(): number
  /** Calls back with each transaction as it becomes pending; ends with the signal. */
  onPending(listener: (transaction: Transaction) => void, signal: AbortSignal): void
}
