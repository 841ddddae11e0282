/** Hex digits as Go's encoding/hex decodes them, with its error messages, which CometBFT's clients see. */
import { tryFromHexDigits } from '../base/hex.ts'

const isPrintable = (byte: number): boolean =>
  (byte >= 0x20 && byte < 0x7f) || (byte > 0xa0 && byte !== 0xad)

function invalidByte(byte: number): string {
  const code = byte.toString(16).toUpperCase().padStart(4, '0')
  const shown = isPrintable(byte) ? ` '${String.fromCharCode(byte)}'` : ''
  return `encoding/hex: invalid byte: U+${code}${shown}`
}

/** The bytes, or what is wrong with the text. */
export function decodeGoHex(digits: string): Uint8Array | { readonly fault: string } {
  const bytes = tryFromHexDigits(digits)
  if (bytes !== undefined) return bytes
  const wrong = Buffer.from(digits).find((byte) => !/[0-9a-f]/i.test(String.fromCharCode(byte)))
  return {
    fault: wrong === undefined ? 'encoding/hex: odd length hex string' : invalidByte(wrong),
  }
}
