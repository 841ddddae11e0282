/** Bounds the memory of the tries: stored branches can be read again. */
import { branchBytes, type Branch, type TrieRoot } from './node.ts'

/** Bytes of a branch, with everything below it that is in memory. */
export function treeBytes(branch: Branch): number {
  let bytes = branchBytes(branch)
  for (const child of branch.children) if (child !== undefined) bytes += treeBytes(child)
  return bytes
}

/** Drops every stored branch below. Returns the number of freed bytes. */
function evictBelow(branch: Branch): number {
  let bytes = 0
  for (const [nibble, child] of branch.children.entries()) {
    if (child === undefined) continue
    if (child.isStored) {
      branch.children[nibble] = undefined
      bytes += treeBytes(child)
    } else bytes += evictBelow(child)
  }
  return bytes
}

/** Number of parts of a trie that are evicted one by one: the subtrees below two nibbles. */
export const SHARDS = 256

/**
 * Drops the stored branches of one shard of a trie. The upper two levels always stay. Returns the number of freed
 * bytes.
 */
export function evictShard(root: TrieRoot, shard: number): number {
  if (root?.kind !== 'branch') return 0
  const below = root.children[shard >> 4]?.children[shard & 15]
  return below === undefined ? 0 : evictBelow(below)
}
