/** RLP of trie nodes (Yellow Paper, appendices B and D), written into the scratch memory. */
import { hexPrefixLength, nibbleAt, writeLeafPath } from '../nibbles.ts'
import { hashScratch } from './scratch.ts'

/** Bytes of an item that refers to a node by its hash. */
export const HASH_ITEM_SIZE = 33

/** Size of an RLP header for a payload of this length. */
export function headerSize(length: number): number {
  return length < 56 ? 1 : 1 + Math.ceil((32 - Math.clz32(length)) / 8)
}

/** Writes the header of a string (base 0x80) or list (base 0xc0); returns the offset after it. */
export function writeHeader(
  target: Uint8Array,
  at: number,
  length: number,
  base: 0x80 | 0xc0,
): number {
  if (length < 56) {
    target[at] = base + length
    return at + 1
  }
  const end = at + headerSize(length)
  for (let i = end - 1, rest = length; i > at; i--, rest >>>= 8) target[i] = rest & 255
  target[at] = base + 55 + (end - at - 1)
  return end
}

function isOwnHeader(value: Uint8Array): boolean {
  return value.length === 1 && (value[0] as number) < 0x80
}

/** Bytes of a value as an RLP string. */
export function stringSize(value: Uint8Array): number {
  return isOwnHeader(value) ? 1 : headerSize(value.length) + value.length
}

/** Writes a value as an RLP string; returns the offset after it. */
export function writeString(target: Uint8Array, at: number, value: Uint8Array): number {
  const start = isOwnHeader(value) ? at : writeHeader(target, at, value.length, 0x80)
  target.set(value, start)
  return start + value.length
}

function pathSize(nibbles: number): number {
  const length = hexPrefixLength(nibbles)
  return length === 1 ? 1 : headerSize(length) + length
}

/** Writes a leaf's RLP: the nibbles of `key` from `depth` on, and its value. Returns the offset after it. */
export function writeLeaf(
  target: Uint8Array,
  at: number,
  key: Uint8Array,
  depth: number,
  value: Uint8Array,
): number {
  const nibbles = key.length * 2 - depth
  let next = writeHeader(target, at, pathSize(nibbles) + stringSize(value), 0xc0)
  const length = hexPrefixLength(nibbles)
  if (length > 1) next = writeHeader(target, next, length, 0x80)
  next = writeLeafPath(target, next, key, depth)
  return writeString(target, next, value)
}

/** Maximum size of what `writeLeaf` writes. */
export function leafRoom(key: Uint8Array, value: Uint8Array): number {
  return key.length + value.length + 32
}

/**
 * Writes an extension's RLP: its nibbles, one per byte, and the item of its branch, which is in the same memory.
 * Returns the offset after it.
 */
export function writeExtension(
  target: Uint8Array,
  at: number,
  prefix: Uint8Array,
  item: number,
  itemSize: number,
): number {
  const length = hexPrefixLength(prefix.length)
  let next = writeHeader(target, at, pathSize(prefix.length) + itemSize, 0xc0)
  if (length > 1) next = writeHeader(target, next, length, 0x80)
  let from = prefix.length & 1
  target[next++] = from === 1 ? 0x10 | (prefix[0] as number) : 0
  for (; from < prefix.length; from += 2)
    target[next++] = ((prefix[from] as number) << 4) | (prefix[from + 1] as number)
  target.copyWithin(next, item, item + itemSize)
  return next + itemSize
}

/**
 * Writes at `item` the reference to the node start…end of the same memory: the RLP string of its hash, or the node
 * itself if it has fewer than 32 bytes. Returns the size of the item.
 */
export function writeItem(target: Uint8Array, start: number, end: number, item: number): number {
  if (end - start < 32) {
    target.copyWithin(item, start, end)
    return end - start
  }
  target[item] = 0xa0
  hashScratch(start, end, item + 1)
  return HASH_ITEM_SIZE
}

/** The nibbles start…end of a key, one per byte. */
export function nibblesOf(key: Uint8Array, start: number, end: number): Uint8Array {
  const nibbles = new Uint8Array(end - start)
  for (let i = 0; i < nibbles.length; i++) nibbles[i] = nibbleAt(key, start + i)
  return nibbles
}
