/**
 * The changes of the last blocks, which have no posting lists yet: an index in memory, rebuilt from changesets. When it
 * is large its posting lists are written in parts, with the blocks that follow. A list that a crash leaves behind is
 * found again among those of a later batch, which hold the same heights: both are right.
 */
import { startsWith } from '../../base/bytes.ts'
import type { Steps } from '../../base/steps.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { openChangeset } from '../state/changeset.ts'
import { isAccountKey, keyText } from '../state/flatKey.ts'
import { readFact, writeFact, type ChainTables } from '../tables.ts'
import { sortByKey } from '../trie/sortByKey.ts'
import { putPosting } from './postings.ts'

export type HistoryTail = {
  /** Follows the store: drops what has posting lists by now, and adds the blocks up to `tip`. */
  catchUp(tip: number): void
  /** Begins anew: blocks were taken back. */
  forget(): void
  /** The first height above `height` at which the key changed, among the blocks of the tail. */
  find(key: Uint8Array, height: number): number | undefined
  /** The accounts or slots that changed in the tail and begin with a prefix; some come twice. */
  keys(isAccount: boolean, prefix: Uint8Array): Iterable<Uint8Array>
  /** Adds the block after the last one, and begins a batch of posting lists where one is due. */
  add(height: number, keys: Iterable<Uint8Array>): void
  /**
   * Inside a write transaction: writes up to `limit` posting lists of the batch that was begun. Call the result once
   * that is committed.
   */
  writePart(limit: number): Steps<() => void>
}

/** A key of the flat state and the ascending heights at which it changed. */
type Posting = { readonly key: Uint8Array; readonly heights: number[] }

type Postings = Map<string, Posting>

/** Posting lists that are being written, up to a height; those before `next` are. */
type Batch = {
  readonly height: number
  readonly postings: Postings
  readonly sorted: readonly Posting[]
  next: number
}

/** Changes and blocks in the tail after which posting lists are due. */
const TAIL_CHANGES = 16_384
const TAIL_BLOCKS = 256

/** Posting lists that are written in one step. */
const POSTINGS_PER_STEP = 128

function findIn(postings: Postings | undefined, text: string, height: number): number | undefined {
  return postings?.get(text)?.heights.find((changed) => changed > height)
}

/** An empty tail: `catchUp` fills it. */
export function createHistoryTail(tables: ChainTables): HistoryTail {
  let postings: Postings = new Map()
  let batch: Batch | undefined
  let changes = 0
  /** The last height with posting lists, the last one in the batch, and the last one of all. */
  let indexed = 0
  let batched = 0
  let last = 0

  function collect(height: number, keys: Iterable<Uint8Array>): void {
    for (const key of keys) {
      const text = keyText(key)
      const posting = postings.get(text)
      if (posting === undefined) postings.set(text, { key, heights: [height] })
      else posting.heights.push(height)
      changes++
    }
    last = height
  }

  function beginBatch(): void {
    if (batch !== undefined || (changes < TAIL_CHANGES && last - batched < TAIL_BLOCKS)) return
    // In key order, neighbours share a page of the table.
    batch = { height: last, postings, sorted: sortByKey([...postings.values()]), next: 0 }
    postings = new Map()
    changes = 0
    batched = last
  }

  function clear(height: number): void {
    postings = new Map()
    batch = undefined
    changes = 0
    indexed = height
    batched = height
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
      for (let height = last + 1; height <= tip; height++) collect(height, keysOfBlock(height))
    },
    forget: () => clear(readFact(tables, 'indexed') ?? 0),
    find(key, height) {
      const text = keyText(key)
      return findIn(batch?.postings, text, height) ?? findIn(postings, text, height)
    },
    *keys(isAccount, prefix) {
      for (const part of [batch?.postings, postings])
        for (const { key } of part?.values() ?? [])
          if (isAccountKey(key) === isAccount && startsWith(key, prefix)) yield key
    },
    add(height, keys) {
      collect(height, keys)
      beginBatch()
    },
    *writePart(limit) {
      const current = batch
      if (current === undefined) return () => {}
      const end = Math.min(current.next + limit, current.sorted.length)
      for (const [index, { key, heights }] of current.sorted.slice(current.next, end).entries()) {
        if (index % POSTINGS_PER_STEP === 0) yield
        putPosting(isAccountKey(key) ? tables.accountHistory : tables.slotHistory, key, heights)
      }
      const isLast = end === current.sorted.length
      if (isLast) writeFact(tables, 'indexed', current.height)
      return () => {
        current.next = end
        if (!isLast) return
        indexed = current.height
        batch = undefined
      }
    },
  }
}
