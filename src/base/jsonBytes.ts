/** Writes long JSON as ASCII bytes, in chunks, without building strings or objects first. */

/** Collects bytes. The contents of the chunks that it returns do not change any more. */
export type JsonBytes = {
  /** An ASCII text, written as is. */
  text(text: string): void
  /** ASCII bytes, written as is: all, or the first `count`. */
  bytes(bytes: Uint8Array, count?: number): void
  /** Two lower-case hex digits for each of the bytes from…to. */
  hex(bytes: Uint8Array, from: number, to: number): void
  /** A QUANTITY without quotes: 0x, no leading zeros. */
  quantity(value: number | bigint): void
  /** A non-negative safe integer, in decimal. */
  integer(value: number): void
  /** All that was written. */
  pieces(): readonly Uint8Array[]
}

const FIRST_PIECE = 2 * 1024
const LARGEST_PIECE = 256 * 1024
const SHORT = 24
const MOST_DECIMALS = 16
const ZERO = 0x30
const DIGITS = Uint8Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0))
/** Both digits of a byte, in memory order: the first one in the lower half. */
const PAIRS = Uint16Array.from(
  { length: 256 },
  (_, byte) => (DIGITS[byte >> 4] as number) | ((DIGITS[byte & 15] as number) << 8),
)

/** An empty collector. */
export function createJsonBytes(): JsonBytes {
  const done: Uint8Array[] = []
  let piece: Uint8Array<ArrayBuffer> = new Uint8Array(FIRST_PIECE)
  let view = new DataView(piece.buffer)
  let length = 0

  function reserve(count: number): void {
    if (length + count <= piece.length) return
    done.push(piece.subarray(0, length))
    // Only what was written is returned, so the buffer is not zeroed first: that would take as long as writing does.
    piece = Buffer.allocUnsafeSlow(Math.max(count, Math.min(piece.length * 8, LARGEST_PIECE)))
    view = new DataView(piece.buffer)
    length = 0
  }

  function text(value: string): void {
    reserve(value.length)
    const target = piece
    const at = length
    for (let i = 0; i < value.length; i++) target[at + i] = value.charCodeAt(i)
    length = at + value.length
  }

  return {
    text,
    bytes(bytes, count = bytes.length) {
      reserve(count)
      const target = piece
      const at = length
      // For a few bytes a loop is cheaper than a call that copies them.
      if (count <= SHORT) for (let i = 0; i < count; i++) target[at + i] = bytes[i] as number
      else if (count === bytes.length) target.set(bytes, at)
      else target.set(bytes.subarray(0, count), at)
      length = at + count
    },
    hex(bytes, from, to) {
      reserve(2 * (to - from))
      const target = view
      const pair = (at: number): number => PAIRS[bytes[at] as number] as number
      let at = length
      let i = from
      // Stores of four digits take half the time of single ones.
      for (; i + 4 <= to; i += 4, at += 8) {
        target.setUint32(at, pair(i) | (pair(i + 1) << 16), true)
        target.setUint32(at + 4, pair(i + 2) | (pair(i + 3) << 16), true)
      }
      for (; i < to; i++, at += 2) target.setUint16(at, pair(i), true)
      length = at
    },
    quantity: (value) => text(`0x${value.toString(16)}`),
    integer(value) {
      reserve(MOST_DECIMALS)
      const target = piece
      let count = 1
      for (let bound = 10; bound <= value; bound *= 10) count++
      let rest = value
      for (let at = length + count - 1; at >= length; at--) {
        const next = Math.floor(rest / 10)
        target[at] = ZERO + rest - next * 10
        rest = next
      }
      length += count
    },
    pieces() {
      if (length > 0) done.push(piece.subarray(0, length))
      piece = piece.subarray(length)
      view = new DataView(piece.buffer, piece.byteOffset)
      length = 0
      return done.slice()
    },
  }
}
