/** Sorted changes of a trie's leaves. */
import { compareBytes } from '../../base/bytes.ts'
import { nibbleAt } from '../../proof/nibbles.ts'
import { createLeaf, type Leaf } from './node.ts'

/** A new value for a key; undefined removes the key. Values are never empty. */
export type TrieChange = { readonly key: Uint8Array; readonly value: Uint8Array | undefined }

/** Changes of ascending keys, each once. */
export type Changes = readonly TrieChange[]

/** The first change of lo…hi whose key has another nibble at `depth` than the one at `lo`. */
export function endOfGroup(changes: Changes, lo: number, hi: number, depth: number): number {
  const nibble = nibbleAt((changes[lo] as TrieChange).key, depth)
  let end = lo + 1
  while (end < hi && nibbleAt((changes[end] as TrieChange).key, depth) === nibble) end++
  return end
}

/** The leaves that the changes lo…hi leave behind, with an older leaf among them unless a change replaces it. */
export function leavesAfter(changes: Changes, lo: number, hi: number, leaf?: Leaf): Leaf[] {
  const leaves: Leaf[] = []
  let pending = leaf
  for (let i = lo; i < hi; i++) {
    const { key, value } = changes[i] as TrieChange
    if (pending !== undefined) {
      const order = compareBytes(pending.key, key)
      if (order < 0) leaves.push(pending)
      if (order <= 0) pending = undefined
    }
    if (value !== undefined) leaves.push(createLeaf(key, value))
  }
  if (pending !== undefined) leaves.push(pending)
  return leaves
}
