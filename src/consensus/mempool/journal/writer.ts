/** Writes the file of the pool's journal: groups at its end, and a new file in place of one that holds too much (D93). */
import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { encodeAdditions, encodeHeader, type NumberedTransaction } from './format.ts'
import { isOutOfSpace, type JournalFile, type JournalStorage } from './storage.ts'

/**
 * The file grows by zeros ahead of its records: a sync of bytes written over them has no change of the file's size to
 * write, which costs a disk as much as the bytes themselves.
 */
const GROWTH = 1024 * 1024

/** Number of transactions of a new file that are encoded at once. */
const PER_PIECE = 1000

const MARKER_SIZE = 8

export type WriterOptions = {
  readonly storage: Pick<JournalStorage, 'create'>
  /** That many unpredictable bytes. */
  readonly random: (size: number) => Uint8Array
  /** Ends the process: a write or a sync failed, and not for want of space (D54). */
  readonly fatal: (error: unknown) => never
}

export type JournalWriter = {
  /** Bytes in use; undefined while there is no file. */
  size(): number | undefined
  /** Writes records at the end and syncs them. Rejects with the system's error when the disk is full. */
  append(encode: (marker: Uint8Array) => Buffer): Promise<void>
  /** Replaces the file by one with these transactions. When the disk is full it rejects, and there is no file. */
  replace(transactions: readonly NumberedTransaction[]): Promise<void>
  close(): Promise<void>
}

function padded(bytes: Buffer, at: number, allocated: number): Buffer {
  const end = at + bytes.length
  if (end <= allocated) return bytes
  return Buffer.concat([bytes], Math.ceil(end / GROWTH) * GROWTH - at)
}

/** A writer without a file. */
export function createJournalWriter({ storage, random, fatal }: WriterOptions): JournalWriter {
  let file: JournalFile | undefined
  let marker: Uint8Array = EMPTY_BYTES
  let position = 0
  let allocated = 0

  /** Rejects only for want of space. */
  async function orFatal<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      return isOutOfSpace(error) ? Promise.reject(error) : fatal(error)
    }
  }

  const synced = (target: JournalFile): Promise<void> => target.sync().catch(fatal)

  async function put(target: JournalFile, bytes: Buffer): Promise<void> {
    const whole = padded(bytes, position, allocated)
    await orFatal(target.write(whole, position))
    allocated = Math.max(allocated, position + whole.length)
    position += bytes.length
  }

  async function fill(
    target: JournalFile,
    transactions: readonly NumberedTransaction[],
  ): Promise<void> {
    await put(target, encodeHeader(marker))
    for (let first = 0; first < transactions.length; first += PER_PIECE)
      await put(target, encodeAdditions(marker, transactions.slice(first, first + PER_PIECE)))
    await synced(target)
    await orFatal(target.publish())
  }

  return {
    size: () => (file === undefined ? undefined : position),
    async append(encode) {
      const target = file
      if (target === undefined) throw new RangeError('the journal has no file')
      const bytes = encode(marker)
      try {
        await put(target, bytes)
      } catch (error) {
        // What was written of it must not be found at the next start: its senders hear that it is not kept.
        await target.write(Buffer.alloc(bytes.length), position).catch(() => undefined)
        throw error
      }
      await synced(target)
    },
    async replace(transactions) {
      const before = file
      file = undefined
      position = 0
      allocated = 0
      marker = random(MARKER_SIZE)
      try {
        const target = await orFatal(storage.create())
        try {
          await fill(target, transactions)
        } catch (error) {
          await target.close()
          throw error
        }
        file = target
      } finally {
        await before?.close()
      }
    },
    async close() {
      await file?.close()
      file = undefined
    },
  }
}
