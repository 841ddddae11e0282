/** The changes of the last blocks, which have no posting lists yet: an index in memory, rebuilt from changesets. */
import { compareBytes } from '../../base/bytes.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { openChangeset } from '../state/changeset.ts'
import { isAccountKey, keyText } from '../state/flatKey.ts'
import { readFact, type ChainTables } from '../tables.ts'
import { putPosting } from './postings.ts'

export type HistoryTail = {
  /** Follows the store: drops what has posting lists by now, and adds the blocks up to `tip`. */
  catchUp(tip: number): void
  /** The first height above `height` at which the key changed, among the blocks of the tail. */
  find(key: Uint8Array, height: number): number | undefined
  /** Adds the block after the last one. */
  add(height: number, keys: Iterable<Uint8Array>): void
  /** Changes in the tail, and blocks. */
  size(): { readonly changes: number; readonly blocks: number }
  /** Inside a write transaction: writes posting lists for the tail with one more block. The tail itself stays. */
  writePostings(height: number, keys: Iterable<Uint8Array>): void
  /** Empties the tail once its posting lists up to `height` are committed. */
  clear(height: number): void
}

/** A key of the flat state and the ascending heights at which it changed. */
type Posting = { readonly key: Uint8Array; readonly heights: number[] }

/** An empty tail: `catchUp` fills it. */
export function createHistoryTail(tables: ChainTables): HistoryTail {
  let postings = new Map<string, Posting>()
  /** The last height with posting lists, and the last one in the tail. */
  let indexed = 0
  let last = 0
  let changes = 0

  function add(height: number, keys: Iterable<Uint8Array>): void {
    for (const key of keys) {
      const text = keyText(key)
      const posting = postings.get(text)
      if (posting === undefined) postings.set(text, { key, heights: [height] })
      else posting.heights.push(height)
      changes++
    }
    last = height
  }

  function clear(height: number): void {
    postings = new Map()
    changes = 0
    indexed = height
    last = height
  }

  function* keysOfBlock(height: number): Generator<Uint8Array> {
    const record = tables.changesets.get(heightKey(height))
    if (record === undefined) return
    const changeset = openChangeset(record)
    for (let i = 0; i < changeset.size; i++) yield changeset.entry(i).key
  }

  return {
    catchUp(tip) {
      const stored = readFact(tables, 'indexed') ?? 0
      if (stored !== indexed) clear(stored)
      for (let height = last + 1; height <= tip; height++) add(height, keysOfBlock(height))
    },
    find: (key, height) => postings.get(keyText(key))?.heights.find((changed) => changed > height),
    add,
    size: () => ({ changes, blocks: last - indexed }),
    writePostings(height, keys) {
      const batch = new Map(postings)
      for (const key of keys) {
        const text = keyText(key)
        batch.set(text, { key, heights: [...(postings.get(text)?.heights ?? []), height] })
      }
      // In key order, neighbours share a page of the table.
      for (const { key, heights } of [...batch.values()].sort((a, b) => compareBytes(a.key, b.key)))
        putPosting(isAccountKey(key) ? tables.accountHistory : tables.slotHistory, key, heights)
    },
    clear,
  }
}
