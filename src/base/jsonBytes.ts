/** Writes long JSON as ASCII bytes, in pieces, without making texts or objects of it first. */

/** Collects bytes. What stands in the pieces it gives back does not change any more. */
export type JsonBytes = {
  /** An ASCII text, as it stands. */
  text(text: string): void
  /** ASCII bytes, as they stand. */
  bytes(bytes: Uint8Array): void
  /** Two lower-case hex digits for each of the bytes from…to. */
  hex(bytes: Uint8Array, from: number, to: number): void
  /** A QUANTITY without quotes: 0x, no leading zeros. */
  quantity(value: number | bigint): void
  /** All that was written. */
  pieces(): readonly Uint8Array[]
}

const FIRST_PIECE = 2 * 1024
const LARGEST_PIECE = 256 * 1024
const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))

/** An empty collector. */
export function createJsonBytes(): JsonBytes {
  const done: Uint8Array[] = []
  let piece = new Uint8Array(FIRST_PIECE)
  let length = 0

  function reserve(count: number): void {
    if (length + count <= piece.length) return
    done.push(piece.subarray(0, length))
    piece = new Uint8Array(Math.max(count, Math.min(piece.length * 8, LARGEST_PIECE)))
    length = 0
  }

  function text(value: string): void {
    reserve(value.length)
    for (let i = 0; i < value.length; i++) piece[length++] = value.charCodeAt(i)
  }

  return {
    text,
    bytes(bytes) {
      reserve(bytes.length)
      piece.set(bytes, length)
      length += bytes.length
    },
    hex(bytes, from, to) {
      reserve(2 * (to - from))
      const target = piece
      let at = length
      for (let i = from; i < to; i++) {
        const byte = bytes[i] as number
        target[at++] = DIGITS[byte >> 4] as number
        target[at++] = DIGITS[byte & 15] as number
      }
      length = at
    },
    quantity: (value) => text(`0x${value.toString(16)}`),
    pieces() {
      if (length > 0) done.push(piece.subarray(0, length))
      piece = piece.subarray(length)
      length = 0
      return done.slice()
    },
  }
}
