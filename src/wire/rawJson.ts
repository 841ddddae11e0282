/**
 * JSON that a method has written itself, as bytes. It is sent unchanged: nothing parses, copies or joins it on the way,
 * and a long value is sent in chunks.
 */

const RAW_JSON = Symbol('raw JSON')

/** One JSON value as ASCII bytes, split at arbitrary positions (JSON can escape everything else). */
export type RawJson = {
  readonly [RAW_JSON]: true
  readonly pieces: readonly Uint8Array[]
  /** Total bytes of all chunks. */
  readonly length: number
  /** The parsed value, for where the JSON becomes part of a larger object after all. */
  toJSON(): unknown
}

/** JSON to be sent: a text, or the chunks of a long one. */
export type JsonText = string | RawJson

/** Up to this size, in bytes, one text is cheaper to send than chunks. */
const SHORT = 32 * 1024

function asciiOf({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

/** Marks bytes as a JSON value. The caller guarantees that they are one, and ASCII. */
export function rawJson(pieces: readonly Uint8Array[]): RawJson {
  let length = 0
  for (const piece of pieces) length += piece.length
  return {
    [RAW_JSON]: true,
    pieces,
    length,
    toJSON: () => JSON.parse(pieces.map(asciiOf).join('')) as unknown,
  }
}

/** Whether a value is raw JSON. */
export function isRawJson(value: unknown): value is RawJson {
  return typeof value === 'object' && value !== null && RAW_JSON in value
}

/** Concatenates texts. A short result is one text again. */
export function joinJson(parts: readonly JsonText[]): JsonText {
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  let length = 0
  for (const part of parts) length += part.length
  if (length <= SHORT)
    return parts
      .map((part) => (typeof part === 'string' ? part : part.pieces.map(asciiOf).join('')))
      .join('')
  return rawJson(
    parts.flatMap((part) => (typeof part === 'string' ? Buffer.from(part) : part.pieces)),
  )
}

/** All bytes of a text in one buffer. */
export function jsonBytes(text: JsonText): Buffer {
  return typeof text === 'string' ? Buffer.from(text) : Buffer.concat(text.pieces)
}
