/** Sorted changes of a trie's leaves. */
import { compareBytes } from '../../base/bytes.ts'
import { nibbleAt } from '../../proof/nibbles.ts'
import { createLeaf, type Leaf } from './node.ts'

/** A new value for a key; undefined removes the key. Values are never empty. */
export type TrieChange = { readonly key: Uint8Array; readonly value: Uint8Array | undefined }

/** Changes of ascending keys, each once. */
export type Changes = readonly TrieChange[]

/** The changes lo…hi-1 of a list. */
export type Batch = { readonly changes: Changes; readonly lo: number; readonly hi: number }

/** All changes of a list. */
export function wholeBatch(changes: Changes): Batch {
  return { changes, lo: 0, hi: changes.length }
}

/** The first change of lo…hi whose key differs from the one at `lo` in the nibble at `depth`. */
export function endOfGroup(changes: Changes, lo: number, hi: number, depth: number): number {
  const nibble = nibbleAt((changes[lo] as TrieChange).key, depth)
  let end = lo + 1
  while (end < hi && nibbleAt((changes[end] as TrieChange).key, depth) === nibble) end++
  return end
}

/** The leaves that result from the changes lo…hi, including an older leaf unless a change replaces it. */
export function leavesAfter({ changes, lo, hi }: Batch, leaf?: Leaf): Leaf[] {
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
