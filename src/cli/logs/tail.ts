/** Reads the end of growing files. */
import fs from 'node:fs'

/** Maximum number of bytes that are searched for a file's last lines. */
const LAST_BYTES = 4 * 1024 * 1024
const NEWLINE = 10

/** The last lines of a file, and its length; none if it does not exist. */
export function lastLines(
  file: string,
  count: number,
): { readonly lines: readonly string[]; readonly end: number } {
  if (!fs.existsSync(file)) return { lines: [], end: 0 }
  const { size } = fs.statSync(file)
  const start = Math.max(0, size - LAST_BYTES)
  const bytes = readRange(file, start, size)
  const end = start + bytes.lastIndexOf(NEWLINE) + 1
  const lines = bytes
    .subarray(0, end - start)
    .toString('utf8')
    .split('\n')
    .slice(0, -1)
  return { lines: count === 0 ? [] : lines.slice(-count), end }
}

function readRange(file: string, start: number, end: number): Buffer {
  const handle = fs.openSync(file, 'r')
  try {
    const bytes = Buffer.alloc(Math.max(0, end - start))
    return bytes.subarray(0, fs.readSync(handle, bytes, 0, bytes.length, start))
  } finally {
    fs.closeSync(handle)
  }
}

export type Tail = {
  /**
   * The complete lines that were added since the last call. A file that became shorter was rotated: the rest of the
   * rotated one comes first, if it still is the latest.
   */
  read(): readonly string[]
}

/** The lines of bytes that end with a line feed, or are empty. */
function linesOf(bytes: Uint8Array): readonly string[] {
  return new TextDecoder().decode(bytes).split('\n').slice(0, -1)
}

function rotatedRest(file: string, at: number): readonly string[] {
  const size = fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (size <= at) return []
  const bytes = readRange(file, at, Math.min(size, at + LAST_BYTES))
  return linesOf(bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1))
}

/** Follows a file from an offset. */
export function followFrom(file: string, offset: number): Tail {
  let at = offset
  return {
    read() {
      if (!fs.existsSync(file)) return []
      const { size } = fs.statSync(file)
      const rest = size < at ? rotatedRest(`${file}.1`, at) : []
      if (size < at) at = 0
      const bytes = readRange(file, at, Math.min(size, at + LAST_BYTES))
      const whole = bytes.lastIndexOf(NEWLINE) + 1
      at += whole
      return [...rest, ...linesOf(bytes.subarray(0, whole))]
    },
  }
}
