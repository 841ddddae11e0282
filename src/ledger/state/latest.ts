/** The flat state after the last block: records from the tables, decoded once, and cached on the writing thread. */
import { EMPTY_BYTES, equalBytes, padLeft } from '../../base/bytes.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { ChainTables } from '../tables.ts'
import { decodeAccountRecord, type StoredAccount } from './accountRecord.ts'
import { createBytesCache, type CacheStatistics } from './bytesCache.ts'
import type { Agreement } from './agreement.ts'
import { ADDRESS_SIZE, isAccountKey } from './flatKey.ts'

/** Entry of a key of the flat state. Shared, so never written to. */
export type FlatEntry = {
  /** Empty if there is no account, or for a zero slot. */
  readonly record: Uint8Array
  /** Under an account's key: the account that the record holds. */
  readonly account: StoredAccount | undefined
  /** Under a slot's key: its 32-byte value. */
  readonly word: Uint8Array
}

export type LatestState = {
  entry(key: Uint8Array): FlatEntry
}

export type LatestStateCache = LatestState & {
  /** Follows a commit. */
  put(key: Uint8Array, entry: FlatEntry): void
  /** Drops everything: the tables were changed by other means. */
  clear(): void
  stats(): CacheStatistics
}

const ZERO_WORD = new Uint8Array(32)
const NOTHING: FlatEntry = { record: EMPTY_BYTES, account: undefined, word: ZERO_WORD }

/** The entry of an account's record; empty for none. */
export function accountEntry(record: Uint8Array, account: StoredAccount | undefined): FlatEntry {
  return account === undefined ? NOTHING : { record, account, word: ZERO_WORD }
}

/** The entry of a slot's value without leading zeros. */
export function slotEntry(record: Uint8Array): FlatEntry {
  return record.length === 0 ? NOTHING : { record, account: undefined, word: padLeft(record, 32) }
}

/** Reads the tables each time: other threads are not told about commits. */
function createTableState({ accounts, slots }: ChainTables): LatestState {
  return {
    entry(key) {
      const isAccount = isAccountKey(key)
      const record = (isAccount ? accounts : slots).get(key)
      if (record === undefined) return NOTHING
      return isAccount ? accountEntry(record, decodeAccountRecord(record)) : slotEntry(record)
    },
  }
}

/**
 * The latest state for a read-only thread: cached as long as `tip` stays the same. Without a tip that is stable between
 * reads (undefined), nothing is cached. What is read from the tables is passed to `agreement`.
 */
export function createReaderState(
  tables: ChainTables,
  tip: () => number | undefined,
  agreement?: Agreement,
): LatestState {
  const stored = createTableState(tables)
  let kept = { tip: -1, state: stored }

  function uncached(key: Uint8Array): FlatEntry {
    const entry = stored.entry(key)
    if (isAccountKey(key)) agreement?.requireAccount(key, entry.account)
    else agreement?.requireSlot(key, EMPTY_TRIE_ROOT, entry.record)
    return entry
  }

  return {
    entry(key) {
      const now = tip()
      if (now === undefined) return uncached(key)
      if (kept.tip !== now)
        kept = { tip: now, state: createLatestState(tables, DEFAULT_READER_BUDGET, agreement) }
      return kept.state.entry(key)
    },
  }
}

/** Bytes of memory of an entry besides its record: typed arrays and the objects around them. */
const ENTRY_BYTES = 500

const DEFAULT_BUDGET = 48 * 1024 * 1024
const DEFAULT_READER_BUDGET = 16 * 1024 * 1024

/**
 * The latest state behind a cache, for the thread that writes: each commit must be put. What is read from the tables is
 * passed to `agreement`, which throws if the trie has something else (D87).
 */
export function createLatestState(
  tables: ChainTables,
  budget = DEFAULT_BUDGET,
  agreement?: Agreement,
): LatestStateCache {
  const stored = createTableState(tables)
  const cache = createBytesCache<FlatEntry>(budget)

  /** The storage root of the account of a slot. */
  const rootOf = (key: Uint8Array): Uint8Array =>
    entryOf(key.subarray(0, ADDRESS_SIZE)).account?.storageRoot ?? EMPTY_TRIE_ROOT

  function read(key: Uint8Array): FlatEntry {
    if (isAccountKey(key)) {
      const entry = stored.entry(key)
      agreement?.requireAccount(key, entry.account)
      return entry
    }
    const root = rootOf(key)
    // Empty storage needs no look at the disk.
    if (equalBytes(root, EMPTY_TRIE_ROOT)) return NOTHING
    const entry = stored.entry(key)
    agreement?.requireSlot(key, root, entry.record)
    return entry
  }

  const put = (key: Uint8Array, entry: FlatEntry): void =>
    cache.set(key, entry, entry.record.length + ENTRY_BYTES)
  function entryOf(key: Uint8Array): FlatEntry {
    const known = cache.get(key)
    if (known !== undefined) return known
    const entry = read(key)
    put(key, entry)
    return entry
  }

  return {
    entry: entryOf,
    put,
    clear: cache.clear,
    stats: cache.stats,
  }
}
