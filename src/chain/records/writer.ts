/** Writes the compact binary records of the chain's tables. Their layout belongs to the store's schema version (D54). */
import { bigintToBytes } from '../../base/bytes.ts'

export type RecordWriter = {
  byte(value: number): void
  /** A non-negative safe integer, seven bits per byte, lowest first. */
  varint(value: number): void
  /** Bytes whose length the reader knows. */
  fixed(bytes: Uint8Array): void
  /** Bytes behind their length. */
  bytes(bytes: Uint8Array): void
  /** A non-negative integer of any size. */
  bigint(value: bigint): void
  text(value: string): void
  /** The record. The writer must not be used afterwards. */
  finish(): Uint8Array
}

const encoder = new TextEncoder()

/** A writer with room for about `size` bytes; it grows when it needs more. */
export function createRecordWriter(size = 256): RecordWriter {
  let buffer = new Uint8Array(size)
  let length = 0

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

  function fixed(bytes: Uint8Array): void {
    reserve(bytes.length)
    buffer.set(bytes, length)
    length += bytes.length
  }

  function bytes(value: Uint8Array): void {
    varint(value.length)
    fixed(value)
  }

  return {
    byte,
    varint,
    fixed,
    bytes,
    bigint: (value) => bytes(bigintToBytes(value)),
    text: (value) => bytes(encoder.encode(value)),
    finish: () => buffer.subarray(0, length),
  }
}
