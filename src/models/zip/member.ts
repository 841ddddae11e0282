/** Reads one member of a zip file as a stream: never the whole member in memory, never more than it declares (D123). */
import type { FileHandle } from 'node:fs/promises'
import { createInflateRaw } from 'node:zlib'
import { crc32 } from '../../base/crc32.ts'
import { messageOf } from '../../base/errors.ts'
import { readDirectory, type ZipEntry } from './directory.ts'
import { zipFile } from './readAt.ts'
import { ZipError } from './zipError.ts'

const LOCAL = 0x04034b50
const LOCAL_BYTES = 30
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 1
const READ_BYTES = 256 * 1024

export type Member = {
  /** Size in bytes, as declared. */
  readonly size: number
  /** Its bytes, once. Rejects with ZipError when they are not what the directory says. */
  bytes(signal?: AbortSignal): AsyncGenerator<Buffer, void, void>
}

type Range = { readonly start: number; readonly end: number }

async function* inflated(
  handle: FileHandle,
  { method }: ZipEntry,
  { start, end }: Range,
  signal: AbortSignal | undefined,
): AsyncGenerator<Buffer, void, void> {
  if (start === end) return
  const options = { start, end: end - 1, autoClose: false, highWaterMark: READ_BYTES }
  const source = handle.createReadStream(options)
  const stream = method === STORED ? source : source.pipe(createInflateRaw())
  source.on('error', (error) => stream.destroy(error))
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted()
      yield chunk as Buffer
    }
  } finally {
    source.destroy()
    stream.destroy()
  }
}

/** Finds a member by its exact name. Rejects with ZipError when it is missing, there twice, or not supported. */
export async function openMember(handle: FileHandle, name: string): Promise<Member> {
  const file = await zipFile(handle)
  const { entries, start: directory } = await readDirectory(file)
  const [entry, second] = entries.filter((each) => each.name === name)
  if (entry === undefined) throw new ZipError(`it has no member ${name}`)
  if (second !== undefined) throw new ZipError(`it has two members ${name}`)
  if ((entry.flags & ENCRYPTED) !== 0) throw new ZipError(`its member ${name} is encrypted`)
  if (entry.method !== STORED && entry.method !== DEFLATED)
    throw new ZipError(`its member ${name} is compressed by method ${entry.method}`)
  const header = await file.readAt(entry.offset, LOCAL_BYTES)
  if (header.readUInt32LE(0) !== LOCAL) throw new ZipError(`its member ${name} is missing`)
  const start = entry.offset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28)
  const end = start + entry.compressed
  if (end > directory) throw new ZipError(`its member ${name} is not inside the file`)
  return {
    size: entry.size,
    async *bytes(signal) {
      let size = 0
      let crc = 0
      try {
        for await (const chunk of inflated(handle, entry, { start, end }, signal)) {
          size += chunk.length
          if (size > entry.size) throw new ZipError(`its member ${name} is larger than it says`)
          crc = crc32(chunk, chunk.length, crc)
          yield chunk
        }
      } catch (error) {
        signal?.throwIfAborted()
        if (error instanceof ZipError) throw error
        throw new ZipError(`its member ${name} is damaged: ${messageOf(error)}`)
      }
      if (size !== entry.size || crc !== entry.crc)
        throw new ZipError(`its member ${name} is damaged`)
    },
  }
}
