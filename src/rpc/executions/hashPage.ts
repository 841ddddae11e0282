/** A page of items in the order of their hashes, from a listing in any order. */
import { compareBytes } from '../../base/bytes.ts'
import { sortByKey } from '../../ledger/trie/sortByKey.ts'

/** Minimum number of surplus items before the page is trimmed again. */
const SLACK = 1024

type Keyed = { readonly key: Uint8Array }

/** Collects the first `limit` items from the hash `start` on, in memory proportional to `limit`. */
export function createHashPage<T extends Keyed>(start: Uint8Array, limit: number) {
  let kept: T[] = []
  // One more than the page: it tells where the next page begins.
  const firsts = (): T[] => sortByKey(kept).slice(0, limit + 1)
  return {
    /** `key` is the hash. */
    add(item: T): void {
      if (compareBytes(item.key, start) < 0) return
      kept.push(item)
      if (kept.length > 2 * limit + SLACK) kept = firsts()
    },
    page(): { readonly items: readonly T[]; readonly next: Uint8Array | undefined } {
      const sorted = firsts()
      return { items: sorted.slice(0, limit), next: sorted[limit]?.key }
    },
  }
}
