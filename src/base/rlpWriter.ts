/**
 * RLP written back to front: when a list's prefix is due, its length is already known. Items are therefore written in
 * reverse order. All writers share one buffer, so finish one value before you begin the next.
 */
import { bigintToBytes } from './bytes.ts'

let buffer = new Uint8Array(4096)
let at = buffer.length

function reserve(size: number): void {
  if (at >= size) return
  const used = buffer.length - at
  const larger = new Uint8Array(Math.max(buffer.length * 2, used + size))
  larger.set(buffer.subarray(at), larger.length - used)
  at = larger.length - used
  buffer = larger
}

function prefix(length: number, base: number): void {
  reserve(9)
  if (length < 56) {
    buffer[--at] = base + length
    return
  }
  const end = at
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) buffer[--at] = rest % 256
  buffer[at - 1] = base + 55 + (end - at)
  at--
}

/** Begins a value. */
export function beginRlp(): void {
  at = buffer.length
}

/** Prepends a byte string. */
export function prependBytes(bytes: Uint8Array): void {
  reserve(bytes.length)
  at -= bytes.length
  buffer.set(bytes, at)
  if (bytes.length !== 1 || (bytes[0] as number) >= 0x80) prefix(bytes.length, 0x80)
}

/** Prepends an unsigned integer. */
export function prependUint(value: bigint): void {
  prependBytes(bigintToBytes(value))
}

/** Prepends a byte that is not an item, such as a transaction type. */
export function prependRaw(byte: number): void {
  reserve(1)
  buffer[--at] = byte
}

/** Number of bytes written so far: take it before the items of a list, and pass it to `prependList` after them. */
export function writtenRlp(): number {
  return buffer.length - at
}

/** Makes a list of all items that were prepended since `written`. */
export function prependList(written: number): void {
  prefix(buffer.length - at - written, 0xc0)
}

/** Ends the value and returns a copy of it. */
export function endRlp(): Uint8Array {
  return buffer.slice(at)
}
