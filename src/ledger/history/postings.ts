/** Posting lists: the heights at which a key of the flat state changed. One record per key and batch of blocks. */
import { equalBytes } from '../../base/bytes.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { HEIGHT_SIZE, writeHeight } from '../blocks/heightKey.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

function postingKey(key: Uint8Array, height: number): Uint8Array {
  const out = new Uint8Array(key.length + HEIGHT_SIZE)
  out.set(key)
  writeHeight(out, key.length, height)
  return out
}

/** Stores a batch of ascending heights under the last of them. */
export function putPosting(table: KvTable, key: Uint8Array, heights: readonly number[]): void {
  let before = 0
  const record = writeRecord((writer) => {
    for (const height of heights) {
      writer.varint(height - before)
      before = height
    }
  })
  table.put(postingKey(key, before), record)
}

/** The first stored height above `height` at which the key changed. */
export function findPosting(table: KvTable, key: Uint8Array, height: number): number | undefined {
  const start = postingKey(key, height + 1)
  for (const entry of table.range({ start, limit: 1 })) {
    const isSameKey =
      entry.key.length === start.length && equalBytes(entry.key.subarray(0, key.length), key)
    if (!isSameKey) return undefined
    const reader = createRecordReader(entry.value)
    let found = 0
    while (found <= height) found += reader.varint()
    return found
  }
  return undefined
}

/** Removes the batch that ends with a height; others of the key stay. Inside a write transaction. */
export function removePosting(table: KvTable, key: Uint8Array, height: number): void {
  table.remove(postingKey(key, height))
}

/** Removes the last height of a key from its batch, inside a write transaction. */
export function unpost(table: KvTable, key: Uint8Array, height: number): void {
  const record = table.get(postingKey(key, height))
  if (record === undefined) return
  removePosting(table, key, height)
  const before = readHeights(record).filter((posted) => posted < height)
  if (before.length > 0) putPosting(table, key, before)
}

function readHeights(record: Uint8Array): readonly number[] {
  const reader = createRecordReader(record)
  const heights: number[] = []
  while (!reader.isAtEnd()) heights.push((heights.at(-1) ?? 0) + reader.varint())
  return heights
}
