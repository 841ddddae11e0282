/** Reads of an open file for the zip reader, which believes places that a hostile file names. */
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { RandomAccessReader } from 'yauzl'
import { ZipError } from './zipError.ts'

const BEYOND = 'it names a place beyond its end'

/** A reader that refuses every place outside the file. Closing the file is up to whoever opened it. */
export class FileReader extends RandomAccessReader {
  readonly #handle: FileHandle
  readonly #size: number

  constructor(handle: FileHandle, size: number) {
    super()
    this.#handle = handle
    this.#size = size
  }

  #has(position: number, length: number): boolean {
    return Number.isSafeInteger(position) && position >= 0 && position + length <= this.#size
  }

  /** Fills a buffer. Fails with ZipError. */
  override read(
    buffer: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null, bytesRead?: number) => void,
  ): void {
    if (!this.#has(position, length)) {
      setImmediate(callback, new ZipError(BEYOND))
      return
    }
    fs.read(this.#handle.fd, buffer, offset, length, position, callback)
  }

  /** Bytes from `start` to before `end`, not none. Throws ZipError. */
  override _readStreamForRange(start: number, end: number): Readable {
    if (!this.#has(start, end - start)) throw new ZipError(BEYOND)
    return this.#handle.createReadStream({ start, end: end - 1, autoClose: false })
  }

  override close(callback: (error: Error | null) => void): void {
    setImmediate(callback, null)
  }
}
