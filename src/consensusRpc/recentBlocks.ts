/**
 * A cache of recently requested blocks in their JSON form. A committed block never changes, and reading one costs more
 * than a request.
 */
import { createRecentCache, type RecentCache } from '../ledger/records/recentCache.ts'
import type { ConsensusReader } from '../consensus/engine.ts'
import { encodeStoredBlock } from './encode/block.ts'

const RECENT_BLOCKS = 32

/** Larger blocks are not cached: in JSON they take more than twice as much. */
const MAX_KEPT_BYTES = 256 * 1024

const caches = new WeakMap<object, RecentCache<object>>()

/** Drops the cached blocks of a reader: some were rolled back. */
export function forgetBlocks(reader: Pick<ConsensusReader, 'block'>): void {
  caches.delete(reader)
}

/** The response of `block` for a height that is known to be stored. */
export function encodedBlock(reader: Pick<ConsensusReader, 'block'>, height: number): object {
  const cache = caches.get(reader) ?? createRecentCache<object>(RECENT_BLOCKS)
  caches.set(reader, cache)
  let large: object | undefined
  const kept = cache.get(height, () => {
    const stored = reader.block(height)
    const encoded = encodeStoredBlock(stored)
    if (stored !== undefined && stored.size <= MAX_KEPT_BYTES) return encoded
    large = encoded
    return undefined
  })
  return kept ?? large ?? encodeStoredBlock(undefined)
}
