/**
 * The journal of the pool (D64): transactions that were acknowledged, in groups that are written and synced together.
 * While one group is on its way to the disk the next one collects, so that the number of syncs does not grow with the
 * number of transactions.
 */
import { messageOf } from '../../../base/errors.ts'
import { PoolRejection } from '../../pool.ts'
import {
  encodeAdditions,
  encodeClear,
  encodeRemovals,
  RECORD_SIZE,
  REMOVALS_PER_RECORD,
} from './format.ts'
import { createGroup, type Group } from './group.ts'
import type { JournalEntry, JournalledPool, PoolJournal } from './types.ts'
import { createJournalWriter, type WriterOptions } from './writer.ts'

/** `journalNumber` of an entry of the group that collects. */
const COLLECTING = -1

/** A file below this size is not worth being replaced by a smaller one. */
const REPLACE_FROM = 8 * 1024 * 1024

/** Maximum time in which a group collects before it is written. */
const MAX_GATHER_MS = 2

/** How long nothing is accepted after a write found the disk full. */
const RETRY_MS = 1000

export type PoolJournalOptions = WriterOptions & {
  /** Maximum size of the file in bytes; its transactions take at most half of it (mempool.journal-limit). */
  readonly limit: number
  /** Monotonic milliseconds. */
  readonly now: () => number
  /** Called with the time that a group took to reach the disk, in seconds. */
  readonly onGroup?: (seconds: number) => void
  /** Called when the disk is full. */
  readonly onFull?: (reason: string) => void
}

export type OpenPoolJournal = PoolJournal & {
  /** Replaces the file by one with what the pool holds now, and begins to write. Never rejects. */
  start(): Promise<void>
  /** Bytes of the file in use. */
  size(): number
  /** Writes what is not written yet, and closes the file. */
  close(): Promise<void>
}

const sizeOf = ({ transaction }: JournalEntry): number => RECORD_SIZE + transaction.raw.length

function noSpace(): PoolRejection {
  return new PoolRejection(
    "the transaction was not accepted: the disk of the pool's journal is full",
  )
}

/** A journal without a file. */
export function createPoolJournal(options: PoolJournalOptions): OpenPoolJournal {
  const { limit, now, onGroup, onFull } = options
  const writer = createJournalWriter(options)
  let pool: JournalledPool = { entries: () => [], drop: () => undefined }
  let collecting = createGroup()
  let underWay: Group | undefined
  let lastNumber = 0
  let syncedNumber = 0
  /** Bytes of the records of the transactions that are pooled. */
  let liveBytes = 0
  /** Number of transactions in the file that nothing in the file removes. */
  let written = 0
  /** Numbers to be removed by the next group, and by the one after it. */
  let removals: number[] = []
  let laterRemovals: number[] = []
  let isClearing = false
  let isStarted = false
  let isWanted = false
  let isWantedAgain = false
  let running: Promise<void> | undefined
  let fullSince: number | undefined

  function want(): void {
    isWanted = true
    if (isStarted) running ??= run()
  }

  /** Ends with a turn of the event loop in which no transaction came: each group costs two processors some time. */
  async function gather(): Promise<void> {
    const began = now()
    for (let size = -1; size !== collecting.entries.size && now() - began < MAX_GATHER_MS;) {
      size = collecting.entries.size
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  async function run(): Promise<void> {
    for (;;) {
      await gather()
      await writeGroup(false)
      if (!isWanted) break
    }
    running = undefined
  }

  function seal(): Group {
    const group = collecting
    underWay = group
    collecting = createGroup()
    isWanted = isWantedAgain
    isWantedAgain = false
    return group
  }

  function numbered(entry: JournalEntry): { readonly number: number; readonly raw: Uint8Array } {
    entry.journalNumber = ++lastNumber
    return { number: lastNumber, raw: entry.transaction.raw }
  }

  async function append(group: Group): Promise<void> {
    const before = { written, isClearing }
    const removed = removals
    removals = laterRemovals
    laterRemovals = []
    isClearing = false
    written = (before.isClearing ? 0 : written) + group.entries.size - removed.length
    try {
      await writer.append((marker) => {
        const pieces = before.isClearing ? [encodeClear(marker, ++lastNumber)] : []
        for (let first = 0; first < removed.length; first += REMOVALS_PER_RECORD) {
          const some = removed.slice(first, first + REMOVALS_PER_RECORD)
          pieces.push(encodeRemovals(marker, ++lastNumber, some))
        }
        pieces.push(encodeAdditions(marker, [...group.entries].map(numbered)))
        return Buffer.concat(pieces)
      })
    } catch (error) {
      written = before.written
      removals = removed.concat(removals)
      isClearing ||= before.isClearing
      throw error
    }
  }

  async function replace(): Promise<void> {
    const before = written
    const live = [...pool.entries()].filter(({ journalNumber }) => journalNumber !== 0)
    // What left the pool before is not in the new file.
    removals = []
    laterRemovals = []
    isClearing = false
    // Until the new file is in place, the old one may be found by a start.
    written += live.length
    await writer.replace(live.map(numbered))
    written -= before
  }

  /** Whether the file would hold too much that is of no use any more. */
  function isBloated(size: number, group: Group): boolean {
    const next = size + group.bytes + removals.length * 6 + 2 * RECORD_SIZE
    const allowed = Math.min(limit, Math.max(REPLACE_FROM, 3 * liveBytes))
    // A limit that was lowered applies once the transactions fit into it.
    return next > Math.max(allowed, 2 * liveBytes + RECORD_SIZE)
  }

  async function writeGroup(isStart: boolean): Promise<void> {
    const began = now()
    const size = writer.size()
    const group = seal()
    try {
      if (size === undefined || isBloated(size, group)) await replace()
      else await append(group)
      fullSince = undefined
      onGroup?.((now() - began) / 1000)
    } catch (error) {
      fullSince = now()
      onFull?.(messageOf(error))
      if (!isStart) lose(group)
    }
    underWay = undefined
    syncedNumber = lastNumber
    group.end()
  }

  function lose(group: Group): void {
    for (const entry of group.entries) {
      if (entry.journalNumber === 0) continue
      leave(entry)
      pool.drop(entry)
    }
    group.fail(noSpace())
  }

  function leave(entry: JournalEntry): void {
    entry.journalNumber = 0
    liveBytes -= sizeOf(entry)
  }

  async function settled(): Promise<void> {
    for (;;) {
      if (isClearing || removals.length + laterRemovals.length > 0) want()
      if (running === undefined) return
      await running
      if (fullSince !== undefined) throw noSpace()
    }
  }

  return {
    attach: (attached) => void (pool = attached),
    requireRoom(raw) {
      if (fullSince !== undefined && now() - fullSince < RETRY_MS) throw noSpace()
      if (liveBytes + RECORD_SIZE + raw.length > limit / 2)
        throw new PoolRejection("the pool's journal is full (mempool.journal-limit)")
    },
    record(entry) {
      entry.journalNumber = COLLECTING
      collecting.add(entry, sizeOf(entry))
      liveBytes += sizeOf(entry)
    },
    forget(entry, isMined) {
      const { journalNumber } = entry
      if (journalNumber === 0) return
      leave(entry)
      if (journalNumber === COLLECTING) {
        collecting.remove(entry, sizeOf(entry))
        return
      }
      // The reason may be a transaction of this very group, of which a crash may leave nothing.
      const isLater = collecting.entries.size > 0
      const list = isLater ? laterRemovals : removals
      list.push(journalNumber)
      if (isMined) return
      isWantedAgain ||= isLater
      want()
    },
    clear() {
      for (const entry of [...collecting.entries, ...(underWay?.entries ?? [])])
        entry.journalNumber = 0
      collecting.removeAll()
      removals = []
      laterRemovals = []
      liveBytes = 0
      isClearing ||= written > 0
      written = 0
      if (isClearing) want()
    },
    kept({ journalNumber }) {
      if (journalNumber === COLLECTING) {
        want()
        return collecting.ended()
      }
      return journalNumber > syncedNumber ? underWay?.ended() : undefined
    },
    settled,
    async start() {
      await writeGroup(true)
      isStarted = true
      if (isWanted) want()
    },
    size: () => writer.size() ?? 0,
    async close() {
      if (collecting.entries.size > 0) want()
      await settled().catch(() => undefined)
      await writer.close()
    },
  }
}
