/** Computes the root of a trie directly from its sorted leaves, without building nodes. */
import { keccak256 } from '../../base/keccak.ts'
import { EMPTY_TRIE_ROOT } from '../mpt.ts'
import { nibbleAt, sharedNibbles } from '../nibbles.ts'
import {
  HASH_ITEM_SIZE,
  headerSize,
  leafRoom,
  nibblesOf,
  writeExtension,
  writeHeader,
  writeItem,
  writeLeaf,
} from './encoding.ts'
import { SCRATCH, scratchOf } from './scratch.ts'

type Leaves = readonly { readonly key: Uint8Array; readonly value: Uint8Array }[]
type Sorted = Leaves[number]

const NO_CHILD = Uint8Array.of(0x80)
const NODE = SCRATCH + HASH_ITEM_SIZE

/** Scratch memory for a node of this size, after room for an item. */
function memoryFor(size: number): Uint8Array {
  return scratchOf(HASH_ITEM_SIZE + size)
}

function itemOf(memory: Uint8Array, end: number, isRoot: boolean): Uint8Array {
  if (isRoot) return keccak256(memory.slice(NODE, end))
  return memory.slice(SCRATCH, SCRATCH + writeItem(memory, NODE, end, SCRATCH))
}

function leafItem({ key, value }: Sorted, depth: number): Uint8Array {
  const memory = memoryFor(leafRoom(key, value))
  return itemOf(memory, writeLeaf(memory, NODE, key, depth, value), depth === 0)
}

function branchItem(items: readonly Uint8Array[], prefix: Uint8Array, isRoot: boolean): Uint8Array {
  let payload = 1
  for (const item of items) payload += item.length
  const memory = memoryFor(headerSize(payload) + payload + prefix.length + 128)
  let at = writeHeader(memory, NODE, payload, 0xc0)
  for (const item of items) {
    memory.set(item, at)
    at += item.length
  }
  memory[at++] = 0x80
  if (prefix.length === 0) return itemOf(memory, at, isRoot)
  const size = writeItem(memory, NODE, at, SCRATCH)
  return itemOf(memory, writeExtension(memory, NODE, prefix, SCRATCH, size), isRoot)
}

/** The item of the trie of the leaves lo…hi, which share their first `depth` nibbles; for a root only the hash. */
function subtrie(leaves: Leaves, lo: number, hi: number, depth: number): Uint8Array {
  const first = leaves[lo] as Sorted
  if (hi - lo === 1) return leafItem(first, depth)
  const fork = sharedNibbles(first.key, (leaves[hi - 1] as Sorted).key, depth)
  const items: Uint8Array[] = Array.from({ length: 16 }, () => NO_CHILD)
  for (let from = lo; from < hi;) {
    const nibble = nibbleAt((leaves[from] as Sorted).key, fork)
    let to = from + 1
    while (to < hi && nibbleAt((leaves[to] as Sorted).key, fork) === nibble) to++
    items[nibble] = subtrie(leaves, from, to, fork + 1)
    from = to
  }
  return branchItem(items, nibblesOf(first.key, depth, fork), depth === 0)
}

/**
 * The 32-byte root over leaves in ascending order of their keys, without duplicates and none a prefix of another;
 * values are never empty.
 */
export function leavesRoot(leaves: Leaves): Uint8Array {
  return leaves.length === 0 ? EMPTY_TRIE_ROOT : subtrie(leaves, 0, leaves.length, 0)
}
