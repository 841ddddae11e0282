/** Everything that is in the pool, by hash, by bytes and by sender, and what was announced of it. */
import { EventEmitter } from 'node:events'
import type { Transaction } from '../../chain/transaction.ts'
import type { PoolContent } from '../pool.ts'
import { createDelegations, type Delegations } from './delegations.ts'
import type { PoolJournal } from './journal/types.ts'
import type { PoolLimits } from './limits.ts'
import type { PooledTransaction, SenderQueue } from './senderQueue.ts'

export type PoolTable = {
  /** By the digits of the sender's address. */
  readonly queues: Map<string, SenderQueue>
  readonly byHash: Map<string, PooledTransaction>
  readonly byRaw: Map<Uint8Array, Transaction>
  readonly delegations: Delegations
  /** What is held back, the oldest first. */
  readonly held: Set<PooledTransaction>
  readonly events: EventEmitter<{ pending: [Transaction] }>
  /** Puts an entry, whose place is free, into its sender's queue and everything else, and announces what is pending now. */
  join(key: string, entry: PooledTransaction, queue: SenderQueue, isReplacement: boolean): void
  /** Takes an entry out of everything but its sender's queue. */
  forget(entry: PooledTransaction, isMined?: boolean): void
  /** Takes an entry out of everything. */
  remove(key: string, entry: PooledTransaction): void
  /** An entry is held back no longer. */
  release(entry: PooledTransaction): void
  /** Tells who listens of entries that are pending now, each once. */
  announce(entries: readonly PooledTransaction[]): void
  /** A sender's queue changed now. */
  moved(key: string): void
  dropIfEmpty(key: string, queue: SenderQueue | undefined): void
  /** Drops what is queued of senders whose queue has not changed for its lifetime. */
  expire(): void
  /** Whether there is no room for one more. */
  isFull(incoming: Transaction): boolean
  /** The transactions of each sender that `group` takes from its queue. */
  content(group: (queue: SenderQueue) => readonly PooledTransaction[]): PoolContent
  /** A number that changes with what a block could include. */
  version(): number
  clear(): void
}

/** An empty table. `now` is any monotonic clock in milliseconds. */
export function createPoolTable(
  limits: PoolLimits,
  now: () => number,
  journal: PoolJournal,
): PoolTable {
  const queues = new Map<string, SenderQueue>()
  const byHash = new Map<string, PooledTransaction>()
  const byRaw = new Map<Uint8Array, Transaction>()
  /** When each sender's queue last changed, the oldest first. */
  const movedAt = new Map<string, number>()
  const events = new EventEmitter<{ pending: [Transaction] }>().setMaxListeners(0)
  const delegations = createDelegations()
  const held = new Set<PooledTransaction>()
  let bytes = 0
  let version = 0

  function forget(entry: PooledTransaction, isMined = false): void {
    if (!byHash.delete(entry.id)) return
    version++
    journal.forget(entry, isMined)
    held.delete(entry)
    delegations.remove(entry)
    byRaw.delete(entry.transaction.raw)
    bytes -= entry.transaction.raw.length
  }

  function remember(entry: PooledTransaction): void {
    byHash.set(entry.id, entry)
    version++
    byRaw.set(entry.transaction.raw, entry.transaction)
    delegations.add(entry)
    if (entry.heldAt !== undefined) held.add(entry)
    bytes += entry.transaction.raw.length
  }

  function remove(key: string, entry: PooledTransaction): void {
    const queue = queues.get(key)
    queue?.remove(entry.transaction.nonce)
    forget(entry)
    // The transactions after it may be queued now.
    if (!movedAt.has(key)) moved(key)
    dropIfEmpty(key, queue)
  }

  function dropIfEmpty(key: string, queue: SenderQueue | undefined): void {
    if (queue === undefined || queue.entries.length > 0) return
    queues.delete(key)
    movedAt.delete(key)
  }

  function announce(entries: readonly PooledTransaction[]): void {
    for (const entry of entries) {
      if (entry.isAnnounced) continue
      entry.isAnnounced = true
      events.emit('pending', entry.transaction)
    }
  }

  function moved(key: string): void {
    movedAt.delete(key)
    movedAt.set(key, now())
  }

  function release(entry: PooledTransaction): void {
    entry.heldAt = undefined
    version++
    held.delete(entry)
  }

  function join(
    key: string,
    entry: PooledTransaction,
    queue: SenderQueue,
    isReplacement: boolean,
  ): void {
    queues.set(key, queue)
    moved(key)
    queue.put(entry)
    remember(entry)
    const promoted = queue.promote()
    const isPending = entry.transaction.nonce < queue.pendingNonce()
    announce(isReplacement && isPending ? [entry] : promoted)
  }

  function expire(): void {
    const limit = now() - limits.queueLifetime
    for (const [key, time] of movedAt) {
      if (time > limit) return
      // What is pending stays; the queue's lifetime starts at its next change.
      movedAt.delete(key)
      for (const entry of queues.get(key)?.queued() ?? []) remove(key, entry)
    }
  }

  function content(group: (queue: SenderQueue) => readonly PooledTransaction[]): PoolContent {
    const result = new Map<string, readonly Transaction[]>()
    for (const [key, queue] of queues) {
      const entries = group(queue)
      if (entries.length > 0)
        result.set(
          key,
          entries.map(({ transaction }) => transaction),
        )
    }
    return result
  }

  return {
    queues,
    byHash,
    byRaw,
    delegations,
    held,
    events,
    join,
    forget,
    remove,
    release,
    announce,
    moved,
    dropIfEmpty,
    expire,
    isFull: (incoming) =>
      byHash.size >= limits.size || bytes + incoming.raw.length > limits.maxBytes,
    content,
    version: () => version,
    clear() {
      queues.clear()
      byHash.clear()
      byRaw.clear()
      movedAt.clear()
      delegations.clear()
      held.clear()
      bytes = 0
      version++
    },
  }
}
