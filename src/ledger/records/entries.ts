/**
 * Many entries in one record, each readable without the others: a u32 with their number, a u32 for the end of each,
 * little-endian, then the entries.
 */
import { CorruptRecordError, createRecordReader, type RecordReader } from './reader.ts'
import { writeRecord, type RecordWriter } from './writer.ts'

const U32 = 4

function readU32(record: Uint8Array, at: number): number {
  if (at + U32 > record.length) throw new CorruptRecordError('a stored record ends too early')
  return (
    (record[at] as number) +
    (record[at + 1] as number) * 0x100 +
    (record[at + 2] as number) * 0x10000 +
    (record[at + 3] as number) * 0x1000000
  )
}

/** A record of `count` entries. */
export function encodeEntries(
  count: number,
  write: (writer: RecordWriter, index: number) => void,
): Uint8Array {
  const ends = new Uint32Array(count)
  const entries = writeRecord((writer) => {
    for (let index = 0; index < count; index++) {
      write(writer, index)
      ends[index] = writer.size()
    }
  })
  const record = new Uint8Array(U32 * (1 + count) + entries.length)
  const view = new DataView(record.buffer)
  view.setUint32(0, count, true)
  for (let index = 0; index < count; index++)
    view.setUint32(U32 * (1 + index), ends[index] as number, true)
  record.set(entries, U32 * (1 + count))
  return record
}

/** The number of entries. Throws CorruptRecordError. */
export function countEntries(record: Uint8Array): number {
  return readU32(record, 0)
}

/** A reader over one entry, or undefined if there is none. Throws CorruptRecordError. */
export function readEntry(record: Uint8Array, index: number): RecordReader | undefined {
  const count = countEntries(record)
  if (index < 0 || index >= count) return undefined
  const base = U32 * (1 + count)
  const start = index === 0 ? 0 : readU32(record, U32 * index)
  const end = readU32(record, U32 * (1 + index))
  if (start > end || base + end > record.length)
    throw new CorruptRecordError('the entries of a stored record overlap or end too early')
  return createRecordReader(record.subarray(base + start, base + end))
}
