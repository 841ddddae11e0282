/** Reads the compact binary records of the chain's tables. */
import { bytesToBigint } from '../../base/bytes.ts'

/** A stored record is not what this program writes: the files are damaged or from elsewhere. */
export class CorruptRecordError extends Error {
  override readonly name = 'CorruptRecordError'
}

export type RecordReader = {
  byte(): number
  varint(): number
  /** A view of the next `length` bytes. */
  fixed(length: number): Uint8Array
  /** A view of bytes behind their length. */
  bytes(): Uint8Array
  bigint(): bigint
  text(): string
  isAtEnd(): boolean
}

const decoder = new TextDecoder()

/** A reader over a record. It throws CorruptRecordError where the record ends too early. */
export function createRecordReader(record: Uint8Array): RecordReader {
  let at = 0

  function byte(): number {
    const value = record[at++]
    if (value === undefined) throw new CorruptRecordError('a stored record ends too early')
    return value
  }

  function varint(): number {
    let value = 0
    let scale = 1
    for (;;) {
      const next = byte()
      value += (next & 0x7f) * scale
      if (next < 0x80) return value
      scale *= 0x80
      if (scale > Number.MAX_SAFE_INTEGER)
        throw new CorruptRecordError('a stored record holds an oversize integer')
    }
  }

  function fixed(length: number): Uint8Array {
    if (at + length > record.length) throw new CorruptRecordError('a stored record ends too early')
    at += length
    return record.subarray(at - length, at)
  }

  const bytes = (): Uint8Array => fixed(varint())

  return {
    byte,
    varint,
    fixed,
    bytes,
    bigint: () => bytesToBigint(bytes()),
    text: () => decoder.decode(bytes()),
    isAtEnd: () => at === record.length,
  }
}
