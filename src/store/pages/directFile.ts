/**
 * Reads a file past the system's page cache (O_DIRECT): what the disk holds, not what memory remembers of it, and without
 * driving other pages out of the cache.
 */
import fs from 'node:fs'

/** Where direct reads must begin, in the file and in memory. */
const BLOCK = 4096

/** Memory of buffers begins at such an address. */
const STEP = 16

export type DirectFile = {
  /** `length` bytes, a multiple of the page size; undefined where the file ends before. */
  read(offset: number, length: number): Buffer | undefined
  close(): void
}

/** A range of memory that begins at a block; found by trying, as no address is ever told. */
function alignedBuffer(handle: number, length: number): Buffer | undefined {
  const memory = Buffer.allocUnsafeSlow(length + BLOCK)
  for (let at = 0; at < BLOCK; at += STEP)
    try {
      fs.readSync(handle, memory, at, BLOCK, 0)
      return memory.subarray(at, at + length)
    } catch {
      // Not at a block.
    }
  return undefined
}

/** Opens a file for direct reads of its pages; undefined where the file system has none. */
export function openDirect(file: string, pageSize: number): DirectFile | undefined {
  const flag = (fs.constants as Readonly<Record<string, number | undefined>>)['O_DIRECT']
  if (flag === undefined || pageSize % BLOCK !== 0) return undefined
  let handle: number
  try {
    handle = fs.openSync(file, fs.constants.O_RDONLY | flag)
  } catch {
    return undefined
  }
  let buffer = alignedBuffer(handle, pageSize)
  if (buffer === undefined) {
    fs.closeSync(handle)
    return undefined
  }
  return {
    read(offset, length) {
      if (buffer === undefined || buffer.length < length) buffer = alignedBuffer(handle, length)
      if (buffer === undefined) return undefined
      const read = fs.readSync(handle, buffer, 0, length, offset)
      // A copy: the next read reuses the buffer.
      return read === length ? Buffer.from(buffer.subarray(0, length)) : undefined
    },
    close: () => fs.closeSync(handle),
  }
}
