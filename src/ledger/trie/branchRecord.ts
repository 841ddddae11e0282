/**
 * The packed form of a branch, in memory and on disk:
 *
 * - its reference in the parent: the RLP item, at most 33 bytes (a hash, or a node of fewer than 32 bytes);
 * - where its RLP starts in the record (3 bytes), and two sets of nibbles: its leaves, and all its children;
 * - the nibbles of the extension in front of it: their count, then one per byte;
 * - its leaves in order of nibbles: the bytes of the key from the leaf's depth on (the first perhaps shared with the path
 *   above), behind their count, and the value behind its length (3 bytes);
 * - its RLP: sixteen items and the value that ends here.
 *
 * So a changed child is one item to replace, and hashing needs no encoding.
 */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { createLeaf, type Leaf } from './node.ts'

/** Offsets of the fields at fixed positions. */
export const NODE_AT = 33
export const LEAF_SET = 36
export const CHILD_SET = 38
export const PREFIX = 40

/** Size of a length in a record. */
export const LENGTH_SIZE = 3

function readLength(record: Uint8Array, at: number): number {
  return (
    ((record[at] as number) << 16) | ((record[at + 1] as number) << 8) | (record[at + 2] as number)
  )
}

/** Offset of the branch's RLP, which ends with the record. */
export function nodeOf(record: Uint8Array): number {
  return readLength(record, NODE_AT)
}

function readSet(record: Uint8Array, at: number): number {
  return ((record[at] as number) << 8) | (record[at + 1] as number)
}

/** The nibbles that have a leaf, one bit each. */
export function leafSet(record: Uint8Array): number {
  return readSet(record, LEAF_SET)
}

/** The nibbles that have a child, one bit each. */
export function childSet(record: Uint8Array): number {
  return readSet(record, CHILD_SET)
}

/** Number of nibbles of the extension in front of the branch. */
export function prefixLength(record: Uint8Array): number {
  return record[PREFIX] as number
}

/** The extension's nibbles, one per byte. */
export function prefixOf(record: Uint8Array): Uint8Array {
  const length = prefixLength(record)
  return length === 0 ? EMPTY_BYTES : record.slice(PREFIX + 1, PREFIX + 1 + length)
}

/** Offset of the leaves. */
export function leavesOf(record: Uint8Array): number {
  return PREFIX + 1 + prefixLength(record)
}

/** The offset behind a leaf. */
export function endOfLeaf(record: Uint8Array, at: number): number {
  const value = at + 1 + (record[at] as number)
  return value + LENGTH_SIZE + readLength(record, value)
}

/** Offset of the leaf under a nibble; there must be one. */
function leafAt(record: Uint8Array, nibble: number): number {
  let at = leavesOf(record)
  let before = leafSet(record) & ((1 << nibble) - 1)
  for (; before !== 0; before &= before - 1) at = endOfLeaf(record, at)
  return at
}

/** Whether the leaf under a nibble, at `depth`, has this key, whose nibbles lead there. */
export function isKeyOfLeaf(
  record: Uint8Array,
  nibble: number,
  key: Uint8Array,
  depth: number,
): boolean {
  const at = leafAt(record, nibble)
  const from = depth >> 1
  if (record[at] !== key.length - from) return false
  for (let i = from; i < key.length; i++) if (record[at + 1 + i - from] !== key[i]) return false
  return true
}

/** The leaf under a nibble, at `depth`; the nibbles of `key` lead there. */
export function readLeaf(record: Uint8Array, nibble: number, key: Uint8Array, depth: number): Leaf {
  const at = leafAt(record, nibble)
  const from = depth >> 1
  const value = at + 1 + (record[at] as number)
  const full = new Uint8Array(from + (record[at] as number))
  full.set(key.subarray(0, from))
  full.set(record.subarray(at + 1, value), from)
  return createLeaf(full, record.slice(value + LENGTH_SIZE, endOfLeaf(record, at)))
}

/** Bytes of the RLP header at an offset. */
function headerSizeAt(record: Uint8Array, at: number): number {
  const byte = record[at] as number
  if (byte < 0x80) return 0
  if (byte >= 0xc0) return byte <= 0xf7 ? 1 : 1 + byte - 0xf7
  return byte <= 0xb7 ? 1 : 1 + byte - 0xb7
}

/** Bytes of an item that refers to a child: nothing, a hash, or a whole short node. */
export function itemSize(record: Uint8Array, at: number): number {
  const byte = record[at] as number
  return byte >= 0xc0 ? byte - 0xbf : byte - 0x7f
}

/** Offset of the item under nibble 0. */
export function firstItem(record: Uint8Array): number {
  const node = nodeOf(record)
  return node + headerSizeAt(record, node)
}

/** Offset of the item under a nibble; for 16, that of the value. */
export function itemAt(record: Uint8Array, nibble: number): number {
  let at = firstItem(record)
  for (let i = 0; i < nibble; i++) at += itemSize(record, at)
  return at
}

/** The value that ends at the branch. */
export function valueOf(record: Uint8Array): Uint8Array | undefined {
  // If all keys have the same length there is none: the last byte is then the empty string.
  const at = itemAt(record, 16)
  if (at === record.length - 1 && record[at] === 0x80) return undefined
  return record.slice(at + headerSizeAt(record, at))
}
