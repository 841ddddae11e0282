/** Sorting by byte keys. */
import { compareBytes } from '../../base/bytes.ts'

type Keyed = { readonly key: Uint8Array }

// The first 32 bits of a key and the item's index form one exact number: 52 bits.
const PLACES = 2 ** 20

function leadOf(key: Uint8Array): number {
  // Keys have at least four bytes where it matters; shorter ones are compared below.
  return (
    (((key[0] ?? 0) << 24) | ((key[1] ?? 0) << 16) | ((key[2] ?? 0) << 8) | (key[3] ?? 0)) >>> 0
  )
}

/**
 * The items in ascending order of their keys. Their first 32 bits are sorted as numbers, which takes a fifth of the
 * time of comparing keys; collisions are rare among hashes and addresses.
 */
export function sortByKey<T extends Keyed>(items: readonly T[]): T[] {
  if (items.length >= PLACES) return items.toSorted((a, b) => compareBytes(a.key, b.key))
  const order = new Float64Array(items.length)
  for (let i = 0; i < items.length; i++) order[i] = leadOf((items[i] as T).key) * PLACES + i
  order.sort()
  const sorted: T[] = []
  let run = 0
  for (let i = 0; i < order.length; i++) {
    const lead = Math.floor((order[i] as number) / PLACES)
    sorted.push(items[(order[i] as number) - lead * PLACES] as T)
    if (i + 1 < order.length && Math.floor((order[i + 1] as number) / PLACES) === lead) continue
    // A run of equal prefixes ends here.
    if (i > run) sorted.push(...sorted.splice(run).sort((a, b) => compareBytes(a.key, b.key)))
    run = i + 1
  }
  return sorted
}
