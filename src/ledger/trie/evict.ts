/** Keeps the tries in memory bounded: branches that are stored can be read again. */
import { branchBytes, type Branch, type TrieRoot } from './node.ts'

/** Bytes that a branch takes with everything below that is in memory. */
export function treeBytes(branch: Branch): number {
  let bytes = branchBytes(branch)
  for (const child of branch.children) if (child !== undefined) bytes += treeBytes(child)
  return bytes
}

/** Drops every stored branch below. Returns the bytes that are free now. */
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

/** Parts of a trie that are dropped one by one: what stands below two nibbles. */
export const SHARDS = 256

/** Drops what is stored of one shard of a trie. The upper two levels always stay. Returns the bytes that are free now. */
export function evictShard(root: TrieRoot, shard: number): number {
  if (root?.kind !== 'branch') return 0
  const below = root.children[shard >> 4]?.children[shard & 15]
  return below === undefined ? 0 : evictBelow(below)
}
