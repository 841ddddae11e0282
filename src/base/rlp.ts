/** RLP, the recursive length prefix of the Yellow Paper, appendix B. Decoding is strict: only canonical encodings pass. */
import { concatBytes } from './bytes.ts'

/** A byte string or a list of items. */
export type RlpItem = Uint8Array | readonly RlpItem[]

/** Why bytes are not canonical RLP. */
export class RlpError extends Error {
  override readonly name = 'RlpError'
}

function lengthPrefix(length: number, base: number): Uint8Array {
  if (length < 56) return Uint8Array.of(base + length)
  const digits: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) digits.unshift(rest % 256)
  return Uint8Array.of(base + 55 + digits.length, ...digits)
}

/** RLP of a byte string. */
export function encodeRlpBytes(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) return bytes
  return concatBytes(lengthPrefix(bytes.length, 0x80), bytes)
}

/** The header of a list whose encoded items have this length in bytes. */
export function encodeRlpListHeader(length: number): Uint8Array {
  return lengthPrefix(length, 0xc0)
}

/** RLP of a list whose items are already encoded. */
export function encodeRlpList(encodedItems: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const item of encodedItems) length += item.length
  return concatBytes(encodeRlpListHeader(length), ...encodedItems)
}

/** RLP of an item. */
export function encodeRlp(item: RlpItem): Uint8Array {
  return item instanceof Uint8Array ? encodeRlpBytes(item) : encodeRlpList(item.map(encodeRlp))
}

// Neither transactions nor trie nodes nest deeper; deeper input would only exhaust the stack.
const MAX_DEPTH = 64

/** Position of an item's payload. */
export type RlpHeader = { readonly isList: boolean; readonly start: number; readonly end: number }

/** The header of the item at `at`, which must end by `limit`. Throws RlpError. */
export function readRlpHeader(bytes: Uint8Array, at: number, limit: number): RlpHeader {
  const first = bytes[at]
  if (first === undefined || at >= limit) throw new RlpError('input ends before an item')
  if (first < 0x80) return { isList: false, start: at, end: at + 1 }
  const isList = first >= 0xc0
  const short = first - (isList ? 0xc0 : 0x80)
  let start = at + 1
  let length = short
  if (short > 55) {
    const digits = short - 55
    if (start + digits > limit) throw new RlpError('input ends inside a length')
    if (bytes[start] === 0) throw new RlpError('length with a leading zero')
    if (digits > 6) throw new RlpError('length is larger than the input')
    length = 0
    for (let i = 0; i < digits; i++) length = length * 256 + (bytes[start + i] as number)
    if (length < 56) throw new RlpError('long form for a short length')
    start += digits
  }
  const end = start + length
  if (end > limit) throw new RlpError('item is longer than the input')
  if (!isList && length === 1 && (bytes[start] as number) < 0x80)
    throw new RlpError('single byte with a needless prefix')
  return { isList, start, end }
}

function readItem(bytes: Uint8Array, header: RlpHeader, depth: number): RlpItem {
  if (!header.isList) return bytes.subarray(header.start, header.end)
  if (depth >= MAX_DEPTH) throw new RlpError(`lists are nested deeper than ${MAX_DEPTH}`)
  const items: RlpItem[] = []
  for (let at = header.start; at < header.end;) {
    const item = readRlpHeader(bytes, at, header.end)
    items.push(readItem(bytes, item, depth + 1))
    at = item.end
  }
  return items
}

/** The one item that the bytes encode. Byte strings are views into the input. Throws RlpError. */
export function decodeRlp(bytes: Uint8Array): RlpItem {
  const header = readRlpHeader(bytes, 0, bytes.length)
  if (header.end !== bytes.length) throw new RlpError('bytes follow the item')
  return readItem(bytes, header, 0)
}
