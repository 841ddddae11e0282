/** What searches for events read (tx_search, block_search). It never shows anything of an uncommitted block. */
import type { ExecTxResult } from './application.ts'

/** Heights from `first` to `last`, both included; empty when `first` is greater. */
export type HeightRange = { readonly first: number; readonly last: number }

/** A block and places among its decided transactions, ascending. */
export type BlockHits = { readonly height: number; readonly indexes: readonly number[] }

/**
 * Lists of blocks are ascending and hold the first `limit` blocks of the range that the index has something about: the next
 * call starts behind the last. A block may come without places.
 */
export type EventIndex = {
  /** Whether events of transactions carry the attribute `<type>.<key>` with index = true: others are never found. */
  isTransactionTag(tag: string): boolean
  /** The same for events of blocks. */
  isBlockTag(tag: string): boolean
  /** Blocks with transactions of which an indexed attribute `tag` is exactly `value`. */
  find(tag: string, value: string, range: HeightRange, limit: number): readonly BlockHits[]
  /** Blocks with transactions, and all of these. */
  blocks(range: HeightRange, limit: number): readonly BlockHits[]
  /** A decided transaction with its result; undefined where none is kept. */
  transaction(
    height: number,
    index: number,
  ): { readonly tx: Uint8Array; readonly result: ExecTxResult } | undefined
}
