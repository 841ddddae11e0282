/** Hexadecimal text at the edges of the program; inside, values are bytes and bigints. */

/** A text that starts with 0x. */
export type Hex = `0x${string}`

const PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

function portableDigits(bytes: Uint8Array): string {
  let out = ''
  for (let i = 0; i < bytes.length; i++) out += PAIRS[bytes[i] as number]
  return out
}

type HexSlice = (this: Uint8Array, start: number, end: number) => string

// Node's own writer takes any byte array and takes a quarter of the time; browsers don't have it.
const { Buffer } = globalThis as { Buffer?: { prototype: { hexSlice?: HexSlice } } }
const hexSlice = Buffer?.prototype.hexSlice

/** Lower-case hex digits of the bytes, without a prefix. */
export function toHexDigits(bytes: Uint8Array): string {
  return hexSlice === undefined ? portableDigits(bytes) : hexSlice.call(bytes, 0, bytes.length)
}

/** Upper-case hex digits without a prefix, as CometBFT writes hashes and addresses. */
export function toUpperHexDigits(bytes: Uint8Array): string {
  return toHexDigits(bytes).toUpperCase()
}

/** DATA of JSON-RPC: 0x and two lower-case digits per byte. */
export function toHex(bytes: Uint8Array): Hex {
  return `0x${toHexDigits(bytes)}`
}

const NO_DIGIT = 255
const DIGITS = new Uint8Array(128).fill(NO_DIGIT)
for (let value = 0; value < 16; value++) {
  const digit = value.toString(16)
  DIGITS[digit.charCodeAt(0)] = value
  DIGITS[digit.toUpperCase().charCodeAt(0)] = value
}

function digit(code: number): number {
  return code < 128 ? (DIGITS[code] as number) : NO_DIGIT
}

/** Bytes of hex digits without a prefix, or undefined when the text is not an even number of hex digits. */
export function tryFromHexDigits(text: string, start = 0): Uint8Array | undefined {
  const length = text.length - start
  if (length % 2 !== 0) return undefined
  const out = new Uint8Array(length / 2)
  for (let i = 0; i < out.length; i++) {
    const high = digit(text.charCodeAt(start + i * 2))
    const low = digit(text.charCodeAt(start + i * 2 + 1))
    if ((high | low) >= 16) return undefined
    out[i] = high * 16 + low
  }
  return out
}

/** Bytes of a 0x-prefixed text, or undefined when it is not well-formed. */
export function tryFromHex(text: string): Uint8Array | undefined {
  if (!text.startsWith('0x') && !text.startsWith('0X')) return undefined
  return tryFromHexDigits(text, 2)
}

/** Bytes of hex digits, with or without 0x, or undefined when the text is neither. */
export function tryFromAnyHex(text: string): Uint8Array | undefined {
  return tryFromHex(text) ?? tryFromHexDigits(text)
}

/** Bytes of hex digits, with or without 0x. Throws SyntaxError on anything else. */
export function fromHex(text: string): Uint8Array {
  const bytes = tryFromAnyHex(text)
  if (bytes === undefined) throw new SyntaxError('not a hex string')
  return bytes
}
