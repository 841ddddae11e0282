/** Small operations on byte arrays that several rooms need. All functions are pure. */

/** An empty byte array. Shared, so never written to. */
export const EMPTY_BYTES: Uint8Array = new Uint8Array(0)

/** One new array holding all parts, in order. */
export function concatBytes(...parts: readonly Uint8Array[]): Uint8Array {
  return concatAll(parts)
}

/** Like `concatBytes`, for lists of any length, which as arguments might overflow the stack. */
export function concatAll(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0
  for (const part of parts) length += part.length
  const out = new Uint8Array(length)
  let offset = 0
  for (const part of parts) {
    out.set(part, offset)
    offset += part.length
  }
  return out
}

/** Whether both arrays hold the same bytes. Not constant-time: never for secrets. */
export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a === b) return true
  if (a.length !== b.length) return false
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false
  return true
}

/** Whether an array starts with another one. */
export function startsWith(bytes: Uint8Array, prefix: Uint8Array): boolean {
  return bytes.length >= prefix.length && prefix.every((byte, index) => bytes[index] === byte)
}

/** Lexicographic order of two arrays: negative, zero or positive, as `Array.prototype.sort` wants. */
export function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

// Numbers are converted through this word: 64 bits at a time is several times faster than digit by digit.
const scratch = new Uint8Array(32)
const scratchWords = new DataView(scratch.buffer)

/** Writes an integer below 2^256 into the scratch word and returns the index of its first non-zero byte. */
function writeScratch(value: bigint): number {
  if (value <= 0xffff_ffff_ffff_ffffn) {
    scratchWords.setBigUint64(0, 0n)
    scratchWords.setBigUint64(8, 0n)
    scratchWords.setBigUint64(16, 0n)
    scratchWords.setBigUint64(24, value)
  } else {
    scratchWords.setBigUint64(0, value >> 192n)
    scratchWords.setBigUint64(8, value >> 128n)
    scratchWords.setBigUint64(16, value >> 64n)
    scratchWords.setBigUint64(24, value)
  }
  let start = 0
  while (start < 32 && scratch[start] === 0) start++
  return start
}

function bigintToLongBytes(value: bigint): Uint8Array {
  const digits = value.toString(16)
  const hex = digits.length % 2 === 1 ? `0${digits}` : digits
  const out = new Uint8Array(hex.length / 2)
  for (let i = 0; i < out.length; i++) out[i] = Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16)
  return out
}

/** Big-endian bytes of a non-negative integer without leading zeros (zero is the empty array). */
export function bigintToBytes(value: bigint): Uint8Array {
  if (value < 0n) throw new RangeError('a negative integer has no unsigned byte form')
  if (value === 0n) return EMPTY_BYTES
  if (value >> 256n !== 0n) return bigintToLongBytes(value)
  return scratch.slice(writeScratch(value))
}

/** Big-endian bytes of a non-negative integer, left-padded to `size` bytes. Throws RangeError when it does not fit. */
export function bigintToFixedBytes(value: bigint, size: number): Uint8Array {
  const bytes = bigintToBytes(value)
  if (bytes.length > size) throw new RangeError(`integer does not fit into ${size} bytes`)
  return padLeft(bytes, size)
}

function longBytesToBigint(bytes: Uint8Array): bigint {
  let hex = '0x'
  for (const byte of bytes) hex += byte < 16 ? `0${byte.toString(16)}` : byte.toString(16)
  return BigInt(hex)
}

/** Writes an integer below 2^256 into an array, as 32 big-endian bytes. */
export function writeWord(into: Uint8Array, at: number, value: bigint): void {
  writeScratch(value)
  into.set(scratch, at)
}

/** The unsigned integer encoded by big-endian bytes (the empty array is zero). */
export function bytesToBigint(bytes: Uint8Array): bigint {
  const { length } = bytes
  if (length <= 6) {
    let small = 0
    for (let i = 0; i < length; i++) small = small * 256 + (bytes[i] as number)
    return BigInt(small)
  }
  if (length > 32) return longBytesToBigint(bytes)
  scratch.fill(0, 0, 32 - length)
  scratch.set(bytes, 32 - length)
  const low = scratchWords.getBigUint64(24)
  if (length <= 8) return low
  const middle = (scratchWords.getBigUint64(16) << 64n) | low
  if (length <= 16) return middle
  const high = (scratchWords.getBigUint64(0) << 64n) | scratchWords.getBigUint64(8)
  return (high << 128n) | middle
}

/** The bytes left-padded with zeros to `size`; longer arrays are returned unchanged. */
export function padLeft(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length >= size) return bytes
  const out = new Uint8Array(size)
  out.set(bytes, size - bytes.length)
  return out
}

/** The bytes without leading zeros. */
export function trimLeft(bytes: Uint8Array): Uint8Array {
  let start = 0
  while (start < bytes.length && bytes[start] === 0) start++
  return start === 0 ? bytes : bytes.subarray(start)
}

const encoder = new TextEncoder()

/** UTF-8 bytes of a text. */
export function utf8(text: string): Uint8Array {
  return encoder.encode(text)
}
