/** Walks over the bytes of a GGUF file of any size with a small part of it in memory. */
import type { FileHandle } from 'node:fs/promises'
import { GgufError } from './ggufCursor.ts'

/** The bytes end before the value does. */
export class OutOfBytes extends Error {}

/** Little-endian bytes. Before anything is read with `uint32`, `length`, `text` or `pass`, `need` makes sure that it is there. */
export type GgufWindow = {
  /** Whether this many bytes are in memory. */
  has(bytes: number): boolean
  /** Brings this many bytes into memory. Rejects with OutOfBytes. */
  need(bytes: number): Promise<void>
  /** Passes over bytes that need not be in memory. Rejects with OutOfBytes. */
  skip(bytes: number): Promise<void>
  /** Passes over bytes that are in memory. */
  pass(bytes: number): void
  uint32(): number
  /** A 64-bit count; `what` names it in errors. Throws GgufError beyond the limit. */
  length(limit: number, what?: string): number
  text(length: number): string
}

const WINDOW = 256 * 1024

/** The first `size` bytes of a file. */
export function fileWindow(file: FileHandle, size: number): GgufWindow {
  return createWindow(Buffer.alloc(WINDOW), size, async (into, from) => {
    const { bytesRead } = await file.read(into, 0, into.length, from)
    return bytesRead
  })
}

/** Bytes that are in memory already. */
export function bytesWindow(bytes: Uint8Array): GgufWindow {
  return createWindow(Buffer.alloc(WINDOW), bytes.length, async (into, from) => {
    const part = bytes.subarray(from, from + into.length)
    into.set(part)
    return part.length
  })
}

function createWindow(
  memory: Buffer,
  size: number,
  read: (into: Uint8Array, from: number) => Promise<number>,
): GgufWindow {
  /** Where the window begins in the file, the next byte in it, and the number of bytes in it. */
  let start = 0
  let at = 0
  let end = 0

  function take(bytes: number): number {
    at += bytes
    return at - bytes
  }

  const window: GgufWindow = {
    has: (bytes) => end - at >= bytes,
    async need(bytes) {
      if (window.has(bytes)) return
      if (start + at + bytes > size) throw new OutOfBytes()
      start += at
      at = 0
      end = await read(memory.subarray(0, Math.min(memory.length, size - start)), start)
      if (end < bytes) throw new OutOfBytes()
    },
    async skip(bytes) {
      if (start + at + bytes > size) throw new OutOfBytes()
      at += bytes
      if (at <= end) return
      start += at
      at = 0
      end = 0
    },
    pass: (bytes) => void take(bytes),
    uint32: () => memory.readUInt32LE(take(4)),
    length(limit, what = 'a length') {
      const from = take(8)
      const low = memory.readUInt32LE(from)
      const value = memory.readUInt32LE(from + 4) * 2 ** 32 + low
      if (value > limit)
        throw new GgufError(`${what} is ${memory.readBigUInt64LE(from)}, more than ${limit}`)
      return value
    },
    text(length) {
      const from = take(length)
      return memory.toString('utf8', from, from + length)
    },
  }
  return window
}
