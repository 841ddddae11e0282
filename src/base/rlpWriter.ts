/**
 * RLP written from the end to the front: when a list's prefix is due, its length is known already. Items therefore come in
 * reverse order. All writers share one buffer, so a value is finished before the next one is begun.
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

/** Puts a byte string in front of what is written. */
export function prependBytes(bytes: Uint8Array): void {
  reserve(bytes.length)
  at -= bytes.length
  buffer.set(bytes, at)
  if (bytes.length !== 1 || (bytes[0] as number) >= 0x80) prefix(bytes.length, 0x80)
}

/** Puts an unsigned integer in front of what is written. */
export function prependUint(value: bigint): void {
  prependBytes(bigintToBytes(value))
}

/** Puts a byte that is no item, such as a transaction type, in front of what is written. */
export function prependRaw(byte: number): void {
  reserve(1)
  buffer[--at] = byte
}

/** How much is written: to be kept before the items of a list, and given to `prependList` after them. */
export function writtenRlp(): number {
  return buffer.length - at
}

/** Makes a list of all items that were put in front since `written`. */
export function prependList(written: number): void {
  prefix(buffer.length - at - written, 0xc0)
}

/** Ends the value and gives a copy of it. */
export function endRlp(): Uint8Array {
  return buffer.slice(at)
}
