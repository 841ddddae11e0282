/**
 * Positions of transactions, by the first eight bytes of their hashes: Keccak-256 and SHA-256 alike (D21). The position
 * is part of the key, so an entry is written without a read, and hashes with the same prefix are simply two entries. A
 * lookup compares the whole hash with the transaction that it finds.
 */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { endOfPrefix } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import type { TransactionPlace } from '../../chain/reader.ts'
import { HEIGHT_SIZE, readHeight, writeHeight } from './heightKey.ts'

const PREFIX_SIZE = 8
const INDEX_SIZE = 3

/** The key of a hash's entry. `index` is the position among the block's decided transactions. */
export function hashIndexKey(hash: Uint8Array, height: number, index: number): Uint8Array {
  const key = new Uint8Array(PREFIX_SIZE + HEIGHT_SIZE + INDEX_SIZE)
  for (let i = 0; i < PREFIX_SIZE; i++) key[i] = hash[i] as number
  writeHeight(key, PREFIX_SIZE, height)
  key[PREFIX_SIZE + HEIGHT_SIZE] = index >> 16
  key[PREFIX_SIZE + HEIGHT_SIZE + 1] = (index >> 8) & 255
  key[PREFIX_SIZE + HEIGHT_SIZE + 2] = index & 255
  return key
}

/** Writes an entry, inside a write transaction. */
export function putHashEntry(table: KvTable, key: Uint8Array): void {
  table.put(key, EMPTY_BYTES)
}

/** Positions of decided transactions whose hash may match. */
export function* findHashEntries(table: KvTable, hash: Uint8Array): Generator<TransactionPlace> {
  // A shorter prefix would read the whole index.
  if (hash.length < PREFIX_SIZE) return
  const prefix = hash.subarray(0, PREFIX_SIZE)
  const end = endOfPrefix(prefix)
  // Read from the table first: the caller reads other tables between two of them.
  const entries = Array.from(table.range({ start: prefix, ...(end && { end }) }))
  for (const { key } of entries)
    yield {
      height: readHeight(key, PREFIX_SIZE),
      index:
        ((key[PREFIX_SIZE + HEIGHT_SIZE] as number) << 16) |
        ((key[PREFIX_SIZE + HEIGHT_SIZE + 1] as number) << 8) |
        (key[PREFIX_SIZE + HEIGHT_SIZE + 2] as number),
    }
}
