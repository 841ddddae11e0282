/**
 * What a block changed in the flat state: the old values, sorted by key, after a table of offsets, so that one of them
 * is found without decoding the others. An empty old value means that there was no account, or that the slot was zero.
 */
import { compareBytes } from '../../base/bytes.ts'
import { CorruptRecordError } from '../records/reader.ts'

export type Change = { readonly key: Uint8Array; readonly old: Uint8Array }

export type Changeset = {
  readonly size: number
  entry(index: number): Change
  /** The old value under a key; undefined when the block did not change it. */
  find(key: Uint8Array): Uint8Array | undefined
}

const OFFSET_SIZE = 4

/** Encodes sorted changes. Each entry: a byte for the kind of key, the key, the old value up to the next entry. */
export function encodeChangeset(changes: readonly Change[]): Uint8Array {
  const tableSize = (changes.length + 1) * OFFSET_SIZE
  let size = tableSize
  for (const { key, old } of changes) size += 1 + key.length + old.length
  const record = new Uint8Array(size)
  const view = new DataView(record.buffer)
  view.setUint32(0, changes.length)
  let at = tableSize
  for (const [index, { key, old }] of changes.entries()) {
    view.setUint32((index + 1) * OFFSET_SIZE, at)
    record[at++] = key.length
    record.set(key, at)
    record.set(old, at + key.length)
    at += key.length + old.length
  }
  return record
}

/** Reads in place. Throws CorruptRecordError. */
export function openChangeset(record: Uint8Array): Changeset {
  const view = new DataView(record.buffer, record.byteOffset, record.length)
  const size = record.length < OFFSET_SIZE ? -1 : view.getUint32(0)
  if (size < 0 || record.length < (size + 1) * OFFSET_SIZE)
    throw new CorruptRecordError('a stored changeset ends too early')

  const offsetOf = (index: number): number =>
    index === size ? record.length : view.getUint32((index + 1) * OFFSET_SIZE)
  function keyAt(index: number): Uint8Array {
    const at = offsetOf(index)
    return record.subarray(at + 1, at + 1 + (record[at] as number))
  }
  function oldAt(index: number): Uint8Array {
    const at = offsetOf(index)
    return record.subarray(at + 1 + (record[at] as number), offsetOf(index + 1))
  }

  return {
    size,
    entry: (index) => ({ key: keyAt(index), old: oldAt(index) }),
    find(key) {
      let low = 0
      let high = size
      while (low < high) {
        const middle = (low + high) >> 1
        const order = compareBytes(keyAt(middle), key)
        if (order === 0) return oldAt(middle)
        if (order < 0) low = middle + 1
        else high = middle
      }
      return undefined
    },
  }
}
