/** Walks a whole trie. */
import { childSet, itemAt, leafSet, prefixOf, readLeaf } from './branchRecord.ts'
import type { Branch, Child, Leaf, NodeLoader } from './node.ts'
import { setNibble } from './unstored.ts'

/** Keys of the state tries have 32 bytes. */
const PATH_SIZE = 33

function* below(
  { record, children }: Branch,
  path: Uint8Array,
  depth: number,
  load: NodeLoader,
): Generator<Leaf> {
  let fork = depth
  for (const nibble of prefixOf(record)) setNibble(path, fork++, nibble)
  for (let nibble = 0; nibble < 16; nibble++) {
    const bit = 1 << nibble
    if ((childSet(record) & bit) === 0) continue
    setNibble(path, fork, nibble)
    if ((leafSet(record) & bit) !== 0) yield readLeaf(record, nibble, path, fork + 1)
    else {
      const child = children[nibble] ?? load(record, itemAt(record, nibble), path, fork + 1)
      yield* below(child as Branch, path, fork + 1, load)
    }
  }
}

/** Every leaf of a trie, by ascending key. What is read for it does not stay in memory. */
export function* leavesOfTrie(root: Child, load: NodeLoader): Generator<Leaf> {
  if (root?.kind === 'leaf') yield root
  if (root?.kind === 'branch') yield* below(root, new Uint8Array(PATH_SIZE), 0, load)
}
