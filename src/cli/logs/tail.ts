/** The end of files that grow. */
import fs from 'node:fs'

/** Longest piece of a file that is searched for its last lines. */
const LAST_BYTES = 4 * 1024 * 1024
const NEWLINE = 10

/** The last lines of a file, and where it ends; none where there is no file. */
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
  /** The whole lines that were added since the last time. A file that became shorter is read from its beginning. */
  read(): readonly string[]
}

/** Follows a file from an offset. */
export function followFrom(file: string, offset: number): Tail {
  let at = offset
  return {
    read() {
      if (!fs.existsSync(file)) return []
      const { size } = fs.statSync(file)
      if (size < at) at = 0
      const bytes = readRange(file, at, Math.min(size, at + LAST_BYTES))
      const whole = bytes.lastIndexOf(NEWLINE) + 1
      at += whole
      return whole === 0 ? [] : bytes.subarray(0, whole).toString('utf8').split('\n').slice(0, -1)
    },
  }
}
