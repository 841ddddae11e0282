/** Writes the compact binary records of the chain's tables. Their layout belongs to the store's schema version (D54). */
import { bigintToBytes } from '../../base/bytes.ts'

export type RecordWriter = {
  byte(value: number): void
  /** A non-negative safe integer, seven bits per byte, lowest first. */
  varint(value: number): void
  /** Bytes whose length the reader knows. */
  fixed(bytes: Uint8Array): void
  /** Length-prefixed bytes. */
  bytes(bytes: Uint8Array): void
  /** The bytes start…end, length-prefixed. A view of a small array would cost more than the copy. */
  part(bytes: Uint8Array, start: number, end: number): void
  /** A non-negative integer of any size. */
  bigint(value: bigint): void
  text(value: string): void
  /** Bytes of this record so far. */
  size(): number
}

const encoder = new TextEncoder()

// One buffer for all records: thousands are written per checkpoint, and most have less than a hundred bytes.
let buffer = new Uint8Array(4096)
let length = 0
/** Start of the innermost record in progress. */
let origin = 0

function reserve(count: number): void {
  if (length + count <= buffer.length) return
  const larger = new Uint8Array(Math.max(buffer.length * 2, length + count))
  larger.set(buffer.subarray(0, length))
  buffer = larger
}

function byte(value: number): void {
  reserve(1)
  buffer[length++] = value
}

function varint(value: number): void {
  let rest = value
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) byte((rest % 0x80) | 0x80)
  byte(rest)
}

function fixed(value: Uint8Array): void {
  reserve(value.length)
  buffer.set(value, length)
  length += value.length
}

function bytes(value: Uint8Array): void {
  varint(value.length)
  fixed(value)
}

/** Below this a number is exact, and is written without allocating an array. */
const SMALL = 2n ** 48n

function bigint(value: bigint): void {
  if (value >= SMALL || value < 0n) {
    bytes(bigintToBytes(value))
    return
  }
  const small = Number(value)
  let size = 0
  for (let power = 1; power <= small; power *= 256) size++
  byte(size)
  reserve(size)
  let rest = small
  for (let at = length + size - 1; at >= length; at--) {
    buffer[at] = rest % 256
    rest = Math.floor(rest / 256)
  }
  length += size
}

function text(value: string): void {
  if (value === '') byte(0)
  else bytes(encoder.encode(value))
}

function part(value: Uint8Array, start: number, end: number): void {
  varint(end - start)
  reserve(end - start)
  for (let i = start; i < end; i++) buffer[length++] = value[i] as number
}

const writer: RecordWriter = {
  byte,
  varint,
  fixed,
  bytes,
  part,
  bigint,
  text,
  size: () => length - origin,
}

/** The record that `write` writes. Records may be nested. */
export function writeRecord(write: (writer: RecordWriter) => void): Uint8Array {
  const start = length
  const outer = origin
  origin = start
  try {
    write(writer)
    return buffer.slice(start, length)
  } finally {
    length = start
    origin = outer
  }
}
