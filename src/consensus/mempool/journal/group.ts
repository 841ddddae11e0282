/** Transactions that go to the disk together, and those who wait for it. */
import type { JournalEntry } from './types.ts'

export type Group = {
  readonly entries: ReadonlySet<JournalEntry>
  /** Bytes of their records. */
  readonly bytes: number
  add(entry: JournalEntry, size: number): void
  remove(entry: JournalEntry, size: number): void
  removeAll(): void
  /** Resolves with `end`, or rejects with the error of `fail`. */
  ended(): Promise<void>
  end(): void
  fail(error: Error): void
}

/** An empty group. */
export function createGroup(): Group {
  const entries = new Set<JournalEntry>()
  let bytes = 0
  let settle: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined
  let promise: Promise<void> | undefined
  return {
    entries,
    get bytes() {
      return bytes
    },
    add(entry, size) {
      entries.add(entry)
      bytes += size
    },
    remove(entry, size) {
      if (entries.delete(entry)) bytes -= size
    },
    removeAll() {
      entries.clear()
      bytes = 0
    },
    ended() {
      if (promise === undefined) {
        promise = new Promise((resolve, reject) => (settle = { resolve, reject }))
        // Whoever waits may be gone when it fails.
        promise.catch(() => undefined)
      }
      return promise
    },
    end: () => settle?.resolve(),
    fail: (error) => settle?.reject(error),
  }
}
