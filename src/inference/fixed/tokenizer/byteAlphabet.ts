/** GPT-2's alphabet: each byte as a printable character, in which byte-level vocabularies are written. */
import { utf8 } from '../../../base/bytes.ts'

/** Whether a byte is its own character. */
const isPlain = (byte: number): boolean =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte !== 173)

/** The character of each byte. */
export const BYTE_CHARACTERS: readonly string[] = (() => {
  let next = 256
  return Array.from({ length: 256 }, (_, byte) =>
    String.fromCharCode(isPlain(byte) ? byte : next++),
  )
})()
const BYTES: ReadonlyMap<string, number> = new Map(
  BYTE_CHARACTERS.map((character, byte) => [character, byte]),
)

/** The bytes of a text, each as its character. */
export function toByteCharacters(text: string): readonly string[] {
  return Array.from(utf8(text), (byte) => BYTE_CHARACTERS[byte] as string)
}

/** The bytes that a token of the alphabet stands for. A character beyond the alphabet stands for its own UTF-8 bytes. */
export function fromByteCharacters(token: string): Uint8Array {
  return Uint8Array.from(
    Array.from(token).flatMap((character) => {
      const byte = BYTES.get(character)
      return byte === undefined ? [...utf8(character)] : [byte]
    }),
  )
}
