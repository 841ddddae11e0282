/** Paths of a Merkle-Patricia trie: keys read as half bytes, and their hex-prefix form (Yellow Paper, appendix C). */

/** The half byte at a position, counted from the front of the key. */
export function nibbleAt(key: Uint8Array, position: number): number {
  const byte = key[position >> 1] as number
  return (position & 1) === 0 ? byte >> 4 : byte & 15
}

/** How many nibbles both keys share, counted from the front and up to `limit`; the first `from` are known to be equal. */
export function sharedNibbles(
  a: Uint8Array,
  b: Uint8Array,
  from: number,
  limit: number = Math.min(a.length, b.length) * 2,
): number {
  let position = from
  while (position < limit && nibbleAt(a, position) === nibbleAt(b, position)) position++
  return position
}

/** Writes the hex-prefix form of the nibbles start…end of a key at `at`; returns the offset after it. */
export function writeLeafPath(
  target: Uint8Array,
  at: number,
  key: Uint8Array,
  start: number,
): number {
  let position = start
  let offset = at
  target[offset++] = (start & 1) === 1 ? 0x30 | nibbleAt(key, position++) : 0x20
  for (; position < key.length * 2; position += 2)
    target[offset++] = (nibbleAt(key, position) << 4) | nibbleAt(key, position + 1)
  return offset
}

/** Size of the hex-prefix form of a path with this many nibbles. */
export function hexPrefixLength(nibbles: number): number {
  return (nibbles >> 1) + 1
}

/** A path from its hex-prefix form. */
export type HexPrefixPath = { readonly isLeaf: boolean; readonly nibbles: readonly number[] }

/** The path encoded by hex-prefix bytes, or undefined if they are not canonical. */
export function tryDecodeHexPrefix(bytes: Uint8Array): HexPrefixPath | undefined {
  const first = bytes[0]
  if (first === undefined || first > 0x3f) return undefined
  const isOdd = (first & 0x10) !== 0
  if (!isOdd && (first & 15) !== 0) return undefined
  const nibbles: number[] = isOdd ? [first & 15] : []
  for (const byte of bytes.subarray(1)) nibbles.push(byte >> 4, byte & 15)
  return { isLeaf: (first & 0x20) !== 0, nibbles }
}
