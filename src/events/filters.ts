/**
 * Filters that are polled (interface.md, "States and transitions"; D12). A filter is a position in a sequence, never a
 * growing list: blocks and logs are read from the chain when the filter is polled, pending hashes from one journal.
 */
import type { Hex } from '../base/hex.ts'
import type { ChainReader, BlockLogs, LogCriteria } from '../chain/reader.ts'
import type { TransactionPool } from '../consensus/pool.ts'
import { createPendingJournal } from './pendingJournal.ts'
import { randomId } from './randomId.ts'

/** One end of a range of heights: a height, or a tag that is resolved on each poll. */
export type HeightBound = number | 'latest' | 'earliest'

/** Which logs to return, and from which blocks (EIP-234: one block, or a range). */
export type LogQuery = {
  readonly blocks: Uint8Array | { readonly from: HeightBound; readonly to: HeightBound }
  readonly criteria: LogCriteria
}

/** What a filter reports. */
export type FilterKind =
  | { readonly type: 'logs'; readonly query: LogQuery }
  | { readonly type: 'blocks' }
  | {
      readonly type: 'pending'
      /** Whole transactions, not hashes. */
      readonly isFull?: boolean
    }

/** What happened since the last poll: logs, or hashes of blocks or transactions. */
export type FilterChanges =
  | { readonly type: 'logs'; readonly logs: readonly BlockLogs[] }
  | { readonly type: 'hashes'; readonly hashes: readonly Uint8Array[] }

export type FilterRegistry = {
  /**
   * Installs a filter of a client and returns its id, 0x and 32 hex digits (D45). When there are too many, the client
   * with the largest number of filters loses the one that it used least recently (D82).
   */
  install(kind: FilterKind, client: string): Hex
  /** Returns whether there was such a filter. */
  uninstall(id: string): boolean
  /** What a filter reports; keeps it alive. Undefined for an unknown or expired id. */
  find(id: string): FilterKind | undefined
  /** The changes since a filter's last poll. Undefined for an unknown or expired id. */
  changes(id: string): FilterChanges | undefined
  /** Blocks above a height were rolled back: their replacements are new to all filters. */
  rewind(height: number): void
}

type Filter = {
  readonly client: string
  readonly kind: FilterKind
  /** Next height to report, or next position in the journal of pending transactions. */
  next: number
  usedAt: number
}

export type FilterOptions = {
  /** A filter that is not used for this long expires. */
  readonly idleMs: number
  /** Maximum number of filters. */
  readonly capacity: number
  /** A poll returns whole blocks until it has this many logs; the next poll returns the rest. */
  readonly logsPerPoll: number
  readonly signal: AbortSignal
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number
}

/** Heights that a log filter reports as they come: from its installation on, inside its range. */
function liveRange({ blocks }: LogQuery, head: number): { first: number; last: number } {
  if (blocks instanceof Uint8Array) return { first: head + 1, last: head }
  const first = typeof blocks.from === 'number' ? Math.max(blocks.from, head + 1) : head + 1
  const last = typeof blocks.to === 'number' ? blocks.to : Number.MAX_SAFE_INTEGER
  return { first, last }
}

/** An empty registry; filters live until they are uninstalled, idle for too long, or the signal ends all of them. */
export function createFilterRegistry(
  { chain, pool }: { readonly chain: ChainReader; readonly pool: TransactionPool },
  options: FilterOptions,
): FilterRegistry {
  const now = options.now ?? ((): number => performance.now())
  const filters = new Map<string, Filter>()
  /** The ids of each client, the least recently used first. */
  const idsOf = new Map<string, Set<string>>()
  const journal = createPendingJournal(pool, options.signal)

  function dropIdle(): void {
    const oldest = now() - options.idleMs
    for (const [id, filter] of filters) if (filter.usedAt < oldest) remove(id, filter)
  }

  function remove(id: string, { client }: Filter): void {
    filters.delete(id)
    const ids = idsOf.get(client)
    ids?.delete(id)
    if (ids?.size === 0) idsOf.delete(client)
  }

  function touch(id: string, { client }: Filter): void {
    const ids = idsOf.get(client) ?? new Set()
    idsOf.set(client, ids)
    ids.delete(id)
    ids.add(id)
  }

  /** Makes room: the client with the largest number loses its idlest one, so that nobody can deny filters to others. */
  function evict(): void {
    let victim: { readonly id: string; readonly filter: Filter; readonly count: number } | undefined
    for (const ids of idsOf.values()) {
      if (ids.size < (victim?.count ?? 0)) continue
      const [id = ''] = ids
      const filter = filters.get(id)
      if (filter === undefined) continue
      const isWorse =
        victim === undefined || ids.size > victim.count || filter.usedAt < victim.filter.usedAt
      if (isWorse) victim = { id, filter, count: ids.size }
    }
    if (victim !== undefined) remove(victim.id, victim.filter)
  }
  const sweep = setInterval(dropIdle, options.idleMs).unref()
  options.signal.addEventListener('abort', () => clearInterval(sweep), { once: true })

  function use(id: string): Filter | undefined {
    const filter = filters.get(id)
    if (filter === undefined) return undefined
    if (filter.usedAt < now() - options.idleMs) {
      remove(id, filter)
      return undefined
    }
    filter.usedAt = now()
    touch(id, filter)
    return filter
  }

  function startOf(kind: FilterKind): number {
    if (kind.type === 'pending') return journal.end()
    return firstAfter(kind, chain.latestHeight())
  }

  /** The first height that a filter of blocks or logs reports after a block. */
  function firstAfter(kind: FilterKind, head: number): number {
    return kind.type === 'logs' ? liveRange(kind.query, head).first : head + 1
  }

  function newBlocks(filter: Filter): readonly Uint8Array[] {
    const hashes: Uint8Array[] = []
    const head = chain.latestHeight()
    for (let height = filter.next; height <= head; height++) {
      const header = chain.header(height)
      if (header) hashes.push(header.hash)
    }
    filter.next = head + 1
    return hashes
  }

  function newLogs(filter: Filter, query: LogQuery): readonly BlockLogs[] {
    const head = chain.latestHeight()
    const last = Math.min(head, liveRange(query, head).last)
    if (filter.next > last) return []
    const found: BlockLogs[] = []
    let count = 0
    for (const logs of chain.logs(filter.next, last, query.criteria)) {
      if (count >= options.logsPerPoll) {
        filter.next = logs.header.height
        return found
      }
      count += logs.places.length
      found.push(logs)
    }
    filter.next = last + 1
    return found
  }

  return {
    install(kind, client) {
      if (filters.size >= options.capacity) dropIdle()
      if (filters.size >= options.capacity) evict()
      if (kind.type === 'pending') journal.start()
      const id = randomId()
      const filter = { client, kind, next: startOf(kind), usedAt: now() }
      filters.set(id, filter)
      touch(id, filter)
      return id
    },
    uninstall(id) {
      const filter = use(id)
      if (filter !== undefined) remove(id, filter)
      return filter !== undefined
    },
    find: (id) => use(id)?.kind,
    rewind(height) {
      for (const filter of filters.values())
        if (filter.kind.type !== 'pending')
          filter.next = Math.min(filter.next, firstAfter(filter.kind, height))
    },
    changes(id) {
      const filter = use(id)
      if (filter === undefined) return undefined
      if (filter.kind.type === 'logs')
        return { type: 'logs', logs: newLogs(filter, filter.kind.query) }
      if (filter.kind.type === 'blocks') return { type: 'hashes', hashes: newBlocks(filter) }
      const hashes = journal.since(filter.next)
      filter.next = journal.end()
      return { type: 'hashes', hashes }
    },
  }
}
