/** Reads parts of a file whose size is known. */
import type { FileHandle } from 'node:fs/promises'
import { ZipError } from './zipError.ts'

export type ZipFile = {
  /** Size in bytes. */
  readonly size: number
  /** Exactly these bytes. Rejects with ZipError when they are not all in the file. */
  readAt(at: number, length: number): Promise<Buffer>
}

/** A file that is open for reading. */
export async function zipFile(handle: FileHandle): Promise<ZipFile> {
  const { size } = await handle.stat()
  return {
    size,
    async readAt(at, length) {
      if (!Number.isSafeInteger(at) || at < 0 || length < 0 || at + length > size)
        throw new ZipError('the file ends early')
      const bytes = Buffer.alloc(length)
      const { bytesRead } = await handle.read(bytes, 0, length, at)
      if (bytesRead < length) throw new ZipError('the file ends early')
      return bytes
    },
  }
}
