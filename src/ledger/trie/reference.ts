/** Root hashes and the RLP of single nodes, as proofs need them. */
import { keccak256 } from '../../base/keccak.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { itemSize, nodeOf, prefixOf } from './branchRecord.ts'
import {
  HASH_ITEM_SIZE,
  leafRoom,
  writeExtension,
  writeItem,
  writeLeaf,
} from '../../proof/trie/encoding.ts'
import type { Branch, Leaf, TrieRoot } from './node.ts'
import { SCRATCH, scratchOf } from '../../proof/trie/scratch.ts'

/** RLP of a leaf at `depth`. */
export function encodeLeaf({ key, value }: Leaf, depth: number): Uint8Array {
  const memory = scratchOf(leafRoom(key, value))
  return memory.slice(SCRATCH, writeLeaf(memory, SCRATCH, key, depth, value))
}

/** RLP of a branch without the extension in front of it. */
export function encodeBranch({ record }: Branch): Uint8Array {
  return record.slice(nodeOf(record))
}

/** RLP of the extension in front of a branch; undefined if there is none. */
export function encodeExtension(branch: Branch): Uint8Array | undefined {
  const prefix = prefixOf(branch.record)
  if (prefix.length === 0) return undefined
  const node = encodeBranch(branch)
  const memory = scratchOf(2 * HASH_ITEM_SIZE + prefix.length + node.length)
  const start = SCRATCH + HASH_ITEM_SIZE
  memory.set(node, start)
  const size = writeItem(memory, start, start + node.length, SCRATCH)
  return memory.slice(start, writeExtension(memory, start, prefix, SCRATCH, size))
}

/** The 32-byte root hash of an item: at the root, short nodes are hashed too. */
function hashOfItem(item: Uint8Array): Uint8Array {
  return item[0] === 0xa0
    ? item.slice(1, HASH_ITEM_SIZE)
    : keccak256(item.slice(0, itemSize(item, 0)))
}

/** The root hash of a trie: 32 bytes. */
export function rootHash(root: TrieRoot): Uint8Array {
  if (root === undefined) return EMPTY_TRIE_ROOT
  if (root.kind === 'stub') return root.hash
  return root.kind === 'leaf' ? keccak256(encodeLeaf(root, 0)) : hashOfItem(root.record)
}
