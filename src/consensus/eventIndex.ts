/** What event searches read (tx_search, block_search). It never exposes uncommitted blocks. */
import type { ExecTxResult } from './application.ts'

/** Heights from `first` to `last`, both included; empty when `first` is greater. */
export type HeightRange = { readonly first: number; readonly last: number }

/** A block and positions of decided transactions in it, ascending. */
export type BlockHits = { readonly height: number; readonly indexes: readonly number[] }

/**
 * Lists of blocks are ascending and contain the first `limit` blocks of the range for which the index has an entry: the
 * next call starts after the last one. A block may be listed without positions.
 */
export type EventIndex = {
  /** Whether events of transactions have the attribute `<type>.<key>` with index = true: others are never found. */
  isTransactionTag(tag: string): boolean
  /** The same for events of blocks. */
  isBlockTag(tag: string): boolean
  /** Blocks with transactions for which an indexed attribute `tag` equals `value` exactly. */
  find(tag: string, value: string, range: HeightRange, limit: number): readonly BlockHits[]
  /** Blocks with transactions, and all of their positions. */
  blocks(range: HeightRange, limit: number): readonly BlockHits[]
  /** A decided transaction with its result; undefined when it is not stored. */
  transaction(
    height: number,
    index: number,
  ): { readonly tx: Uint8Array; readonly result: ExecTxResult } | undefined
}
