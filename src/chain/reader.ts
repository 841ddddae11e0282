/**
 * The stored chain's interface to the rest of the program. All reads are synchronous and see whole blocks only: nothing
 * of height H is visible before all of it is on disk.
 */
import type { Account, Effects, Log, StateView } from '../evm/types.ts'
import type { BlockHeader } from './block.ts'
import type { ConsensusResult } from './consensusResult.ts'
import type { Receipt } from './receipt.ts'
import type { ValidatorPower } from './staking/validatorSet.ts'
import type { Transaction } from './transaction.ts'

/** A transaction as decided: raw bytes, its result, and its index among the block's Ethereum transactions. */
export type DecidedTransaction = {
  readonly raw: Uint8Array
  readonly result: ConsensusResult
  /** undefined for a refused one, which has no place in the Ethereum view. */
  readonly transactionIndex: number | undefined
}

/** An EIP-1186 proof; nodes are RLP. */
export type AccountProof = {
  readonly accountProof: readonly Uint8Array[]
  readonly balance: bigint
  readonly nonce: bigint
  readonly codeHash: Uint8Array
  readonly storageRoot: Uint8Array
  readonly storageProof: readonly {
    readonly slot: Uint8Array
    readonly value: Uint8Array
    readonly proof: readonly Uint8Array[]
  }[]
}

/** Position of a transaction: its block and its index among the block's Ethereum (or decided) transactions. */
export type TransactionPlace = { readonly height: number; readonly index: number }

/** Position of a log in the record of its block's logs, as offsets and lengths in bytes. */
export type LogPlace = {
  readonly transactionIndex: number
  readonly transactionHashAt: number
  /** Index in the block. */
  readonly logIndex: number
  readonly addressAt: number
  readonly topicCount: number
  /** The topics are contiguous. */
  readonly topicsAt: number
  readonly dataAt: number
  readonly dataLength: number
}

/** Logs as stored, in order: ten thousand of them are read without allocating an object per field. */
export type StoredLogs = { readonly record: Uint8Array; readonly places: readonly LogPlace[] }

/** Logs of one block. */
export type BlockLogs = StoredLogs & { readonly header: BlockHeader }

/** A receipt as stored. Its bloom follows from the logs. */
export type StoredReceipt = Omit<Receipt, 'logs' | 'logsBloom'> & { readonly logs: StoredLogs }

/** Criteria of a log search: any of `addresses` (empty = all), and per position any of the topics (empty = all). */
export type LogCriteria = {
  readonly addresses: readonly Uint8Array[]
  readonly topics: readonly (readonly Uint8Array[])[]
}

/** An account of a listing. */
export type ListedAccount = {
  readonly address: Uint8Array
  readonly account: Account & { readonly storageRoot: Uint8Array }
}

/** A slot of a listing: 32 bytes each, and never zero. */
export type ListedSlot = { readonly slot: Uint8Array; readonly value: Uint8Array }

/** The state of a height is not one that this node keeps or can prove. */
export class StateUnavailableError extends Error {
  override readonly name = 'StateUnavailableError'
}

/** Read access to the chain. Heights run from 0 (genesis, D44) to `latestHeight()`. */
export type ChainReader = {
  readonly chainId: bigint
  latestHeight(): number
  /** Lowest height whose block is kept. */
  earliestHeight(): number
  /** Lowest height after which the state is kept. */
  earliestState(): number
  header(height: number): BlockHeader | undefined
  /** The header of block 0, which is never pruned; undefined before genesis. */
  genesis(): BlockHeader | undefined
  heightOfHash(blockHash: Uint8Array): number | undefined
  /** The block's Ethereum transactions, in order; undefined for an unknown height. */
  transactions(height: number): readonly Transaction[] | undefined
  receipts(height: number): readonly Receipt[] | undefined
  /** Keccak-256 hashes of the block's Ethereum transactions, in order; undefined for an unknown height. */
  transactionHashes(height: number): readonly Uint8Array[] | undefined
  /** Number of the block's Ethereum transactions; undefined for an unknown height. */
  transactionCount(height: number): number | undefined
  /** One Ethereum transaction or receipt by its index in the block, read on its own; undefined if there is none. */
  transaction(height: number, index: number): Transaction | undefined
  receipt(height: number, index: number): StoredReceipt | undefined
  /** Everything that was decided, refused transactions included, in block order. */
  decided(height: number): readonly DecidedTransaction[] | undefined
  /** The block's changes of the validator set, sorted by key; undefined for an unknown height. */
  validatorUpdates(height: number): readonly ValidatorPower[] | undefined
  /** Logs of the end-of-block system call, outside any transaction. */
  systemLogs(height: number): readonly Log[] | undefined
  /** By Keccak-256 hash, among Ethereum transactions. */
  findTransaction(hash: Uint8Array): TransactionPlace | undefined
  /** By SHA-256 hash, among decided transactions (D21). */
  findDecided(consensusHash: Uint8Array): TransactionPlace | undefined
  /** The state after a height. Throws StateUnavailableError. */
  stateAt(height: number): StateView
  /**
   * All accounts after a height, and all slots of an account, in no particular order. They are read lazily, and must be
   * consumed before the next turn of the event loop. Throws StateUnavailableError.
   */
  accounts(height: number): Iterable<ListedAccount>
  slots(height: number, address: Uint8Array): Iterable<ListedSlot>
  /** The state roots after steps from the state of a height on; throws like `proof`. */
  roots(height: number, steps: readonly Effects[]): readonly Uint8Array[]
  /** Proof at a height. Throws StateUnavailableError("proof window exceeded") outside the window (D6). */
  proof(height: number, address: Uint8Array, slots: readonly Uint8Array[]): AccountProof
  /**
   * Logs of the heights first…last that match the criteria, by block and in order. Lazy, so that a caller can stop at
   * its limit, or pause between blocks. Blocks that were searched in vain are yielded without logs.
   */
  logs(first: number, last: number, criteria: LogCriteria): Iterable<BlockLogs>
}
