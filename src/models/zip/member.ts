/** Reads one member of a zip file as a stream: never the whole member in memory, never more than it declares (D123). */
import type { FileHandle } from 'node:fs/promises'
import { fromRandomAccessReaderPromise, type Entry, type ZipFile } from 'yauzl'
import { crc32 } from '../../base/crc32.ts'
import { messageOf } from '../../base/errors.ts'
import { FileReader } from './fileReader.ts'
import { ZipError } from './zipError.ts'

/** A wheel has some thousand members at most. */
const MAX_MEMBERS = 100_000

export type Member = {
  /** Size in bytes, as declared. */
  readonly size: number
  /** Its bytes, once. Rejects with ZipError when they are not what the directory says. */
  bytes(signal?: AbortSignal): AsyncGenerator<Buffer, void, void>
}

/** The only entry of a name. */
async function entryOf(zip: ZipFile, name: string): Promise<Entry> {
  if (zip.entryCount > MAX_MEMBERS) throw new ZipError('its directory is too large')
  let found: Entry | undefined
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName !== name) continue
    if (found !== undefined) throw new ZipError(`it has two members ${name}`)
    found = entry
  }
  if (found === undefined) throw new ZipError(`it has no member ${name}`)
  return found
}

/** Whatever a reader says of a file that is none. */
function asZipError(error: unknown, what: string): ZipError {
  return error instanceof ZipError ? error : new ZipError(`${what}: ${messageOf(error)}`)
}

async function find(handle: FileHandle, name: string) {
  try {
    const { size } = await handle.stat()
    const options = { lazyEntries: true, autoClose: false }
    const zip = await fromRandomAccessReaderPromise(new FileReader(handle, size), size, options)
    return { zip, entry: await entryOf(zip, name) }
  } catch (error) {
    throw asZipError(error, 'its directory cannot be read')
  }
}

/** Finds a member by its exact name. Rejects with ZipError when it is missing, there twice, or not supported. */
export async function openMember(handle: FileHandle, name: string): Promise<Member> {
  const { zip, entry } = await find(handle, name)
  if (entry.isEncrypted()) throw new ZipError(`its member ${name} is encrypted`)
  if (!entry.canDecodeFileData())
    throw new ZipError(`its member ${name} is compressed by method ${entry.compressionMethod}`)
  return {
    size: entry.uncompressedSize,
    async *bytes(signal) {
      let crc = 0
      try {
        const stream = await zip.openReadStreamPromise(entry)
        for await (const chunk of stream as AsyncIterable<Buffer>) {
          signal?.throwIfAborted()
          crc = crc32(chunk, chunk.length, crc)
          yield chunk
        }
      } catch (error) {
        signal?.throwIfAborted()
        throw asZipError(error, `its member ${name} is damaged`)
      }
      if (crc !== entry.crc32) throw new ZipError(`its member ${name} is damaged`)
    },
  }
}
