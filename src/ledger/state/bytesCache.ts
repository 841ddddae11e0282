/**
 * A cache by byte keys, bounded in bytes. It may evict anything at any time: two keys with the same hash evict each
 * other, so keys chosen by an attacker cost no more than misses.
 */
import { equalBytes } from '../../base/bytes.ts'
import { ADDRESS_SIZE } from './flatKey.ts'

/** Size of a cache, and its hits and misses. */
export type CacheStatistics = {
  readonly bytes: number
  readonly hits: number
  readonly misses: number
}

export type BytesCache<T> = {
  get(key: Uint8Array): T | undefined
  /** Keeps a value of this many bytes of memory under a copy of the key. */
  set(key: Uint8Array, value: T, bytes: number): void
  clear(): void
  stats(): CacheStatistics
}

type Entry<T> = { readonly key: Uint8Array; readonly value: T; readonly bytes: number }

/** Number of bytes hashed at the end of a key, and at the start of its address and of its slot. */
const END = 12
const START = 4

/**
 * FNV-1a, in 30 bits: a Map keeps such numbers unboxed. Of a long key only some bytes are hashed: addresses and mapping
 * slots are practically random there, numbers differ at the end, and left-aligned values at the start.
 */
function hashOf(key: Uint8Array): number {
  const { length } = key
  const end = Math.max(0, length - END)
  let hash = 0x811c9dc5
  for (let i = end; i < length; i++) hash = Math.imul(hash ^ (key[i] as number), 0x01000193)
  for (let part = 0; part < end; part += ADDRESS_SIZE)
    for (let i = part; i < end && i < part + START; i++)
      hash = Math.imul(hash ^ (key[i] as number), 0x01000193)
  return (hash ^ (hash >>> 15)) & 0x3fffffff
}

/** Bytes of an entry besides its value: its key, the object, its slot in the map. */
const ENTRY_BYTES = 280

/** A cache of at most `budget` bytes. It has two generations and drops the less recently used one as a whole. */
export function createBytesCache<T>(budget: number): BytesCache<T> {
  // A hash is in at most one of the two: a stale value can never reappear after a newer one.
  let young = new Map<number, Entry<T>>()
  let old = new Map<number, Entry<T>>()
  let youngBytes = 0
  let oldBytes = 0
  let hits = 0
  let misses = 0

  function insert(hash: number, entry: Entry<T>): void {
    youngBytes += entry.bytes - (young.get(hash)?.bytes ?? 0)
    young.set(hash, entry)
    if (youngBytes <= budget / 2) return
    old = young
    oldBytes = youngBytes
    young = new Map()
    youngBytes = 0
  }

  function removeOld(hash: number): Entry<T> | undefined {
    const entry = old.get(hash)
    if (entry === undefined) return undefined
    old.delete(hash)
    oldBytes -= entry.bytes
    return entry
  }

  return {
    get(key) {
      const hash = hashOf(key)
      const entry = young.get(hash)
      if (entry !== undefined && equalBytes(entry.key, key)) {
        hits++
        return entry.value
      }
      const older = entry === undefined ? old.get(hash) : undefined
      if (older === undefined || !equalBytes(older.key, key)) {
        misses++
        return undefined
      }
      hits++
      removeOld(hash)
      insert(hash, older)
      return older.value
    },
    set(key, value, bytes) {
      const hash = hashOf(key)
      const before = removeOld(hash) ?? young.get(hash)
      // A copy: `slice` of a Buffer would share the caller's memory. The previous value's copy will do as well.
      const kept =
        before !== undefined && equalBytes(before.key, key) ? before.key : new Uint8Array(key)
      insert(hash, { key: kept, value, bytes: bytes + ENTRY_BYTES })
    },
    clear() {
      young = new Map()
      old = new Map()
      youngBytes = 0
      oldBytes = 0
    },
    stats: () => ({ bytes: youngBytes + oldBytes, hits, misses }),
  }
}
