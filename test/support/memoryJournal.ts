/** A disk in memory for the pool's journal: it can be slow, full or broken, and lose what was not synced. */
import type { JournalStorage } from '../../src/consensus/mempool/journal/storage.ts'

export type MemoryJournal = JournalStorage & {
  /** What a start after a loss of power reads: only what was synced. */
  readonly durable: () => Buffer | undefined
  /** Every write fails with this system code while it is set. */
  failure: string | undefined
  /** Every sync fails while it is set. */
  isBroken: boolean
  /** Syncs wait for this. */
  gate: Promise<void>
  /** Number of syncs, and of files put in place. */
  readonly counts: { syncs: number; files: number }
  /** Maximum size that the file in place has had. */
  maxSize: number
  /** Whether a damaged journal was set aside. */
  isSetAside: boolean
}

/** An empty disk, or one with a journal on it. */
export function createMemoryJournal(initial?: Buffer): MemoryJournal {
  let written = initial
  let synced = initial
  const fail = (code: string): never => {
    throw Object.assign(new Error(`${code}: injected`), { code })
  }
  const disk: MemoryJournal = {
    failure: undefined,
    isBroken: false,
    gate: Promise.resolve(),
    counts: { syncs: 0, files: 0 },
    maxSize: 0,
    isSetAside: false,
    durable: () => synced,
    read: async () => written,
    setAside: async () => void (disk.isSetAside = true),
    async create() {
      if (disk.failure !== undefined) fail(disk.failure)
      let content = Buffer.alloc(0)
      let ofSync = content
      let isInPlace = false
      return {
        async write(bytes, at) {
          await Promise.resolve()
          // A full disk takes the beginning.
          const some = disk.failure === undefined ? bytes : bytes.subarray(0, bytes.length / 2)
          const next = Buffer.alloc(Math.max(content.length, at + some.length))
          content.copy(next)
          next.set(some, at)
          content = next
          if (isInPlace) written = content
          disk.maxSize = Math.max(disk.maxSize, content.length)
          if (disk.failure !== undefined) fail(disk.failure)
        },
        async sync() {
          const now = content
          await disk.gate
          if (disk.isBroken) fail('EIO')
          disk.counts.syncs++
          ofSync = now
          if (isInPlace) synced = now
        },
        async publish() {
          isInPlace = true
          written = content
          synced = ofSync
          disk.counts.files++
        },
        close: async () => undefined,
      }
    },
    async remove() {
      written = undefined
      synced = undefined
    },
  }
  return disk
}
