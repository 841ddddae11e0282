/** The latest hashes of transactions that became pending, numbered, so that many filters share one list. */
import type { TransactionPool } from '../consensus/pool.ts'

/** Maximum number of hashes: a filter that is further behind, by more than the pool holds, misses the oldest ones. */
const CAPACITY = 65_536

export type PendingJournal = {
  /** Starts listening; further calls have no effect. */
  start(): void
  /** Number of the next entry. */
  end(): number
  /** Hashes from a number on, oldest first, as far as they are still stored. */
  since(next: number): readonly Uint8Array[]
}

/** A journal over the pool. It listens from `start` until the signal ends. */
export function createPendingJournal(pool: TransactionPool, signal: AbortSignal): PendingJournal {
  const ring: Uint8Array[] = []
  let end = 0
  let isListening = false
  return {
    start() {
      if (isListening) return
      isListening = true
      pool.onPending(({ hash }) => {
        ring[end % CAPACITY] = hash
        end++
      }, signal)
    },
    end: () => end,
    since(next) {
      const hashes: Uint8Array[] = []
      for (let at = Math.max(next, end - CAPACITY); at < end; at++)
        hashes.push(ring[at % CAPACITY] as Uint8Array)
      return hashes
    },
  }
}
