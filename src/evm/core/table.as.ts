// A hash index over records: an array of their addresses with open addressing. Records begin with their hash (u32), so
// the array grows without knowing their type. The order of the index is never observable: records are also in lists.
import { allocate } from './heap.as'

@inline const FIRST_SIZE: u32 = 256

@unmanaged
export class Table {
  places: usize
  mask: u32
  count: u32
}

/** Mixed into every hash: contracts choose slots, so they must not be able to predict their positions. Set by the host. */
let seed: u64 = 0

export function setSeed(value: u64): void {
  seed = value
}

@inline
function mix(hash: u64, value: u64): u64 {
  const product = (hash ^ value) * 0x9e3779b97f4a7c15
  return product ^ (product >> 29)
}

/** The hash of a word and a number. */
@inline
export function hashOf(number: u64, w0: u64, w1: u64, w2: u64, w3: u64): u32 {
  const hash = mix(mix(mix(mix(mix(seed, number), w0), w1), w2), w3)
  return <u32>(hash >> 32)
}

/** Empties a table. Its array is on the heap, so every message begins with this. */
export function clearTable(table: Table): void {
  table.places = allocate(FIRST_SIZE << 2)
  table.mask = FIRST_SIZE - 1
  table.count = 0
}

/** The address of the entry at an index; it holds a record's address, or 0. */
@inline
export function placeAt(table: Table, index: u32): usize {
  return table.places + ((index & table.mask) << 2)
}

function put(table: Table, record: usize): void {
  let index = load<u32>(record)
  while (load<u32>(placeAt(table, index)) != 0) index++
  store<u32>(placeAt(table, index), <u32>record)
}

/** Adds a record that is not in the table. */
export function insert(table: Table, record: usize): void {
  table.count++
  if (table.count << 1 > table.mask) {
    const from = table.places,
      to = from + ((table.mask + 1) << 2)
    table.mask = (table.mask << 2) | 3
    table.places = allocate((table.mask + 1) << 2)
    for (let at = from; at < to; at += 4) {
      const other = load<u32>(at)
      if (other != 0) put(table, other)
    }
  }
  put(table, record)
}
