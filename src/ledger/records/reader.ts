/** Reads the compact binary records of the chain's tables. */

/** A stored record is not one that this program writes: the files are damaged or foreign. */
export class CorruptRecordError extends Error {
  override readonly name = 'CorruptRecordError'
}

export type RecordReader = {
  byte(): number
  varint(): number
  /** A view of the next `length` bytes. */
  fixed(length: number): Uint8Array
  /** A view of length-prefixed bytes. */
  bytes(): Uint8Array
  bigint(): bigint
  text(): string
  isAtEnd(): boolean
}

/** Bytes that a number represents exactly. */
const BYTES_OF_NUMBER = 6
const BITS_OF_NUMBER = 48n

const decoder = new TextDecoder()

/** A reader over a record. It throws CorruptRecordError if the record ends too early. */
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

  /** Nearly every account has one or two of these: no view and no string is allocated for them. */
  function bigint(): bigint {
    const length = varint()
    const end = at + length
    if (end > record.length) throw new CorruptRecordError('a stored record ends too early')
    let value = 0n
    while (at < end) {
      const count = (end - at) % BYTES_OF_NUMBER || BYTES_OF_NUMBER
      let part = 0
      for (const next = at + count; at < next; at++) part = part * 256 + (record[at] as number)
      value = value === 0n ? BigInt(part) : (value << BITS_OF_NUMBER) | BigInt(part)
    }
    return value
  }

  return {
    byte,
    varint,
    fixed,
    bytes,
    bigint,
    text: () => decoder.decode(bytes()),
    isAtEnd: () => at === record.length,
  }
}
