/** Splits a byte stream into consecutive JSON values, with or without white space between them (go-ethereum's IPC). */

/** Takes the next bytes and returns the values that are now complete. Throws RangeError when one exceeds the limit. */
export type JsonSplitter = (chunk: Buffer) => readonly Buffer[]

const QUOTE = 0x22
const BACKSLASH = 0x5c

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

function isOpening(byte: number): boolean {
  return byte === 0x5b || byte === 0x7b
}

function isClosing(byte: number): boolean {
  return byte === 0x5d || byte === 0x7d
}

/**
 * Creates a splitter. It only counts brackets outside strings; whether a value is valid JSON is left to the parser. A
 * text without brackets ends at white space or at the next bracket. `limit` is in bytes.
 */
export function createJsonSplitter(limit: number): JsonSplitter {
  let parts: Buffer[] = []
  let size = 0
  let depth = 0
  let isInString = false
  let isEscaped = false

  return (chunk) => {
    const values: Buffer[] = []
    let start = 0
    const cut = (end: number): void => {
      const last = chunk.subarray(start, end)
      start = end
      if (size + last.length > 0) values.push(Buffer.concat([...parts, last]))
      parts = []
      size = 0
    }
    for (let at = 0; at < chunk.length; at++) {
      const byte = chunk[at] as number
      if (isInString) {
        if (isEscaped) isEscaped = false
        else if (byte === BACKSLASH) isEscaped = true
        else if (byte === QUOTE) isInString = false
      } else if (isOpening(byte)) {
        if (depth++ === 0) cut(at)
      } else if (isClosing(byte)) {
        depth = Math.max(depth - 1, 0)
        if (depth === 0) cut(at + 1)
      } else if (depth > 0) isInString = byte === QUOTE
      else if (isSpace(byte)) {
        cut(at)
        start = at + 1
      }
    }
    const rest = chunk.subarray(start)
    size += rest.length
    if (size > limit) throw new RangeError(`a message is longer than ${limit} bytes`)
    if (rest.length > 0) parts.push(rest)
    return values
  }
}
