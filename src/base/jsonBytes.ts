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
  /** A decimal integer, which is not negative and safe. */
  integer(value: number): void
  /** A QUANTITY without quotes of 32 bytes, the least significant first, which begin at `from`. */
  word(bytes: Uint8Array, from: number): void
  /** All that was written. */
  pieces(): readonly Uint8Array[]
}

const FIRST_PIECE = 2 * 1024
const LARGEST_PIECE = 256 * 1024
const SHORT = 24
const WORD = 32
const MOST_DECIMALS = 16
const MOST_WORD_CHARACTERS = 2 + 2 * WORD
const ZERO = 0x30
const X = 0x78
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
      // A call to copy them costs more than a few bytes do.
      if (bytes.length > SHORT) piece.set(bytes, length)
      else for (let i = 0; i < bytes.length; i++) piece[length + i] = bytes[i] as number
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
    integer(value) {
      reserve(MOST_DECIMALS)
      let end = length + 1
      for (let rest = value; rest >= 10; rest = Math.floor(rest / 10)) end++
      let at = end
      let rest = value
      do {
        const next = Math.floor(rest / 10)
        piece[--at] = ZERO + rest - next * 10
        rest = next
      } while (at > length)
      length = end
    },
    word(bytes, from) {
      reserve(MOST_WORD_CHARACTERS)
      const target = piece
      let at = length
      target[at++] = ZERO
      target[at++] = X
      let i = from + WORD - 1
      while (i > from && bytes[i] === 0) i--
      const first = bytes[i--] as number
      if (first > 15) target[at++] = DIGITS[first >> 4] as number
      target[at++] = DIGITS[first & 15] as number
      for (; i >= from; i--) {
        const byte = bytes[i] as number
        target[at++] = DIGITS[byte >> 4] as number
        target[at++] = DIGITS[byte & 15] as number
      }
      length = at
    },
    pieces() {
      if (length > 0) done.push(piece.subarray(0, length))
      piece = piece.subarray(length)
      length = 0
      return done.slice()
    },
  }
}
