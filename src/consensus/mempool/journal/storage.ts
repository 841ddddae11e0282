/** The file of the pool's journal. It is mode 0600 and replaced atomically. */
import fs from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import { codeOf } from '../../../base/errors.ts'

/**
 * Where writes can be synced as they are made, one call does both: handing work to another thread costs more than the
 * call. On macOS such writes do not reach the disk's medium.
 */
const SYNCED_WRITES = process.platform === 'linux' ? fs.constants.O_DSYNC : 0
const NEW_FILE = fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_EXCL

const open = promisify(fs.open)
const write = promisify(fs.write)
const fdatasync = promisify(fs.fdatasync)
const fsync = promisify(fs.fsync)
const close = promisify(fs.close)

/** A new journal. Offsets are in bytes. All methods reject with the system's error. */
export type JournalFile = {
  write(bytes: Uint8Array, at: number): Promise<void>
  /** Resolves when everything written is on disk. */
  sync(): Promise<void>
  /** Puts the file in the place of the journal before; it is there after a crash, too. */
  publish(): Promise<void>
  /** Closes the file; one that was not published is removed. */
  close(): Promise<void>
}

/** Where the journal is kept. */
export type JournalStorage = {
  /** The bytes of the journal; undefined when there is none. */
  read(): Promise<Buffer | undefined>
  /** Keeps a damaged journal under another name, in place of an earlier one. */
  setAside(): Promise<void>
  create(): Promise<JournalFile>
  remove(): Promise<void>
}

/** Whether a write failed only because the disk, or the user's part of it, is full. */
export function isOutOfSpace(error: unknown): boolean {
  return codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
}

async function writeAll(handle: number, bytes: Uint8Array, at: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await write(handle, bytes, done, bytes.length - done, at + done)
    done += bytesWritten
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await fsync(handle)
  } finally {
    await close(handle)
  }
}

/** The journal at a path. The home has one owner, so a new one always has the same temporary name. */
export function openJournalStorage(file: string): JournalStorage {
  const folder = path.dirname(file)
  const temporary = `${file}.tmp`
  const aside = `${file}.damaged`
  return {
    async read() {
      try {
        return await fs.promises.readFile(file)
      } catch (error) {
        if (codeOf(error) === 'ENOENT') return undefined
        throw error
      }
    },
    async setAside() {
      await fs.promises.rm(aside, { force: true })
      // A second name takes no space, and the first stays until a new journal takes it.
      await fs.promises.link(file, aside)
    },
    async create() {
      await fs.promises.rm(temporary, { force: true })
      const handle = await open(temporary, NEW_FILE | SYNCED_WRITES, 0o600)
      let isPublished = false
      return {
        write: (bytes, at) => writeAll(handle, bytes, at),
        sync: () => (SYNCED_WRITES === 0 ? fdatasync(handle) : Promise.resolve()),
        async publish() {
          await fs.promises.rename(temporary, file)
          isPublished = true
          await syncFolder(folder)
        },
        async close() {
          await close(handle)
          if (!isPublished) await fs.promises.rm(temporary, { force: true })
        },
      }
    },
    async remove() {
      await fs.promises.rm(file, { force: true })
      await syncFolder(folder)
    },
  }
}
