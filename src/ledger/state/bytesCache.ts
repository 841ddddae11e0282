/**
 * A cache by byte keys, bounded in bytes. It may forget anything at any time: two keys with the same hash push each other
 * out, so that keys chosen by a stranger cost no more than misses.
 */
import { equalBytes } from '../../base/bytes.ts'
import { ADDRESS_SIZE } from './flatKey.ts'

/** Size of a cache, and how often a value was there when it was asked for. */
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

/** Bytes that are hashed at the end of a key, and at the start of the address and of the slot that it is made of. */
const END = 12
const START = 4

/**
 * FNV-1a, in 30 bits: a Map keeps such numbers without boxes. Of a long key only some bytes are hashed: addresses and the
 * slots of mappings are as good as random in them, numbers differ at the end, and what is aligned to the left at the start.
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

/** What an entry takes beside its value: its key, the object, its place in the map. */
const ENTRY_BYTES = 280

/** A cache of at most `budget` bytes. Of two generations, the one that was not asked for is dropped as a whole. */
export function createBytesCache<T>(budget: number): BytesCache<T> {
  // A hash stands in one of both at most: an older value can never show up behind a newer one.
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
      // A copy: `slice` of a Buffer would share the caller's memory. The one of the value before will do as well.
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
