/** Reads canonical RLP item by item, without building a tree of arrays: for hot paths. */
import { bytesToBigint } from './bytes.ts'
import { readRlpHeader, RlpError } from './rlp.ts'

/** Reads the items of one list, in order. Every method throws RlpError that names the expected field. */
export type RlpReader = {
  /** Offset of the next item in the bytes. */
  position(): number
  isAtEnd(): boolean
  /** A byte string, as a view into the bytes. */
  bytes(name: string): Uint8Array
  /** A byte string of exactly `size` bytes. */
  fixed(size: number, name: string): Uint8Array
  /** An unsigned integer of at most `bits`, without leading zeros. */
  uint(bits: number, name: string): bigint
  /** The reader of a nested list. */
  list(name: string): RlpReader
}

function readerOf(bytes: Uint8Array, start: number, end: number): RlpReader {
  let at = start

  function next(isList: boolean, name: string) {
    if (at >= end) throw new RlpError(`${name} is missing`)
    const header = readRlpHeader(bytes, at, end)
    if (header.isList !== isList)
      throw new RlpError(isList ? `${name} is a list` : `${name} is a byte string`)
    at = header.end
    return header
  }

  function readBytes(name: string): Uint8Array {
    const header = next(false, name)
    return bytes.subarray(header.start, header.end)
  }

  return {
    position: () => at,
    isAtEnd: () => at === end,
    bytes: readBytes,
    fixed(size, name) {
      const value = readBytes(name)
      if (value.length !== size) throw new RlpError(`${name} has ${size} bytes`)
      return value
    },
    uint(bits, name) {
      const value = readBytes(name)
      if (value[0] === 0) throw new RlpError(`${name} has leading zeros`)
      if (value.length * 8 > bits) throw new RlpError(`${name} has at most ${bits} bits`)
      return bytesToBigint(value)
    },
    list(name) {
      const header = next(true, name)
      return readerOf(bytes, header.start, header.end)
    },
  }
}

/** The reader of the single list that fills the bytes from `start` to their end. Throws RlpError. */
export function openRlpList(bytes: Uint8Array, start: number): RlpReader {
  const header = readRlpHeader(bytes, start, bytes.length)
  if (!header.isList) throw new RlpError('a list is expected')
  if (header.end !== bytes.length) throw new RlpError('bytes follow the item')
  return readerOf(bytes, header.start, header.end)
}
