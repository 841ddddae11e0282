/**
 * The changes of the last blocks, which have no posting lists yet: an index in memory, rebuilt from changesets. Once it
 * is large, its posting lists are written in parts, with the following blocks. A list that a crash leaves behind is
 * repeated by a later batch with the same heights: both are right.
 */
import { compareBytes, equalBytes, startsWith } from '../../base/bytes.ts'
import type { Steps } from '../../base/steps.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { openChangeset } from '../state/changeset.ts'
import { isAccountKey } from '../state/flatKey.ts'
import { readFact, writeFact, type ChainTables } from '../tables.ts'
import { postingsOf, type BlockKeys, type Posting } from './mergeKeys.ts'
import { putPosting } from './postings.ts'

export type HistoryTail = {
  /** Follows the store: drops blocks that have posting lists by now, and adds those up to `tip`. */
  catchUp(tip: number): void
  /** Starts over: blocks were rolled back. */
  forget(): void
  /** The first height above `height` at which the key changed, among the blocks of the tail. */
  find(key: Uint8Array, height: number): number | undefined
  /** The accounts or slots that changed in the tail and start with a prefix; may contain duplicates. */
  keys(isAccount: boolean, prefix: Uint8Array): Iterable<Uint8Array>
  /** Adds the next block, keeping its ascending keys, and begins a batch of posting lists if one is due. */
  add(height: number, keys: readonly Uint8Array[]): void
  /** Whether `writePart` has posting lists to write. */
  isDue(): boolean
  /**
   * Inside a write transaction: writes up to `limit` posting lists of the current batch. Call the result once that is
   * committed.
   */
  writePart(limit: number): Steps<() => void>
}

/** Posting lists that are being written: those of a part that is not committed yet, then the remaining ones from `rest`. */
type Batch = {
  readonly height: number
  readonly blocks: readonly BlockKeys[]
  readonly rest: Iterator<Posting>
  part: Posting[]
}

/** Numbers of changes and blocks in the tail at which posting lists are due. */
const TAIL_CHANGES = 16_384
const TAIL_BLOCKS = 256

/** Number of posting lists that one step writes. */
const POSTINGS_PER_STEP = 128

/** The index of a key, or of the first greater one, among ascending keys. */
function placeOf(keys: readonly Uint8Array[], key: Uint8Array): number {
  let low = 0
  let high = keys.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (compareBytes(keys[middle] as Uint8Array, key) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function hasKey(keys: readonly Uint8Array[], key: Uint8Array): boolean {
  const found = keys[placeOf(keys, key)]
  return found !== undefined && equalBytes(found, key)
}

/** An empty tail: `catchUp` fills it. */
export function createHistoryTail(tables: ChainTables): HistoryTail {
  // Ascending heights. Blocks without changes are omitted.
  let blocks: BlockKeys[] = []
  let batch: Batch | undefined
  let changes = 0
  /** The last height with posting lists, the last one in the batch, and the last one of all. */
  let indexed = 0
  let batched = 0
  let last = 0

  function collect(height: number, keys: readonly Uint8Array[]): void {
    if (keys.length > 0) blocks.push({ height, keys })
    changes += keys.length
    last = height
  }

  function beginBatch(): void {
    if (batch !== undefined || (changes < TAIL_CHANGES && last - batched < TAIL_BLOCKS)) return
    batch = { height: last, blocks, rest: postingsOf(blocks), part: [] }
    blocks = []
    changes = 0
    batched = last
  }

  function clear(height: number): void {
    blocks = []
    batch = undefined
    changes = 0
    indexed = height
    batched = height
    last = height
  }

  function keysOfBlock(height: number): readonly Uint8Array[] {
    const record = tables.changesets.get(heightKey(height))
    if (record === undefined) return []
    const changeset = openChangeset(record)
    return Array.from({ length: changeset.size }, (_, index) => changeset.entry(index).key)
  }

  return {
    catchUp(tip) {
      const stored = readFact(tables, 'indexed') ?? 0
      if (stored !== indexed) clear(stored)
      for (let height = last + 1; height <= tip; height++) collect(height, keysOfBlock(height))
    },
    forget: () => clear(readFact(tables, 'indexed') ?? 0),
    find(key, height) {
      for (const part of [batch?.blocks ?? [], blocks])
        for (const block of part)
          if (block.height > height && hasKey(block.keys, key)) return block.height
      return undefined
    },
    *keys(isAccount, prefix) {
      for (const { keys } of [...(batch?.blocks ?? []), ...blocks])
        for (let at = placeOf(keys, prefix); at < keys.length; at++) {
          const key = keys[at] as Uint8Array
          if (!startsWith(key, prefix)) break
          if (isAccountKey(key) === isAccount) yield key
        }
    },
    add(height, keys) {
      collect(height, keys)
      beginBatch()
    },
    isDue: () => batch !== undefined,
    *writePart(limit) {
      const current = batch
      if (current === undefined) return () => {}
      let isLast = false
      while (!isLast && current.part.length < limit) {
        const next = current.rest.next()
        if (next.done === true) isLast = true
        else current.part.push(next.value)
        if (current.part.length % POSTINGS_PER_STEP === 0) yield
      }
      for (let i = 0; i < current.part.length; i++) {
        if (i % POSTINGS_PER_STEP === 0) yield
        const { key, heights } = current.part[i] as Posting
        putPosting(isAccountKey(key) ? tables.accountHistory : tables.slotHistory, key, heights)
      }
      if (isLast) writeFact(tables, 'indexed', current.height)
      return () => {
        current.part = []
        if (!isLast) return
        indexed = current.height
        batch = undefined
      }
    },
  }
}
