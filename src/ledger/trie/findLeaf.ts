/** Looks a key up in a trie. */
import { equalBytes } from '../../base/bytes.ts'
import { nibbleAt } from '../../proof/nibbles.ts'
import {
  childSet,
  isKeyOfLeaf,
  itemAt,
  leafSet,
  PREFIX,
  prefixLength,
  readLeaf,
} from './branchRecord.ts'
import type { Branch, Child, NodeLoader } from './node.ts'

/** Whether the nibbles of the branch's extension, which starts at `depth`, are those of the key. */
function isOnPath(record: Uint8Array, key: Uint8Array, depth: number, length: number): boolean {
  for (let i = 0; i < length; i++)
    if (record[PREFIX + 1 + i] !== nibbleAt(key, depth + i)) return false
  return true
}

/**
 * The value under a key of 32 bytes; undefined if the trie does not have it. Branches that are read for it stay in
 * memory with `keeps`.
 */
export function findLeaf(
  root: Child,
  key: Uint8Array,
  load: NodeLoader,
  keeps: boolean,
): Uint8Array | undefined {
  let node = root
  let depth = 0
  while (node?.kind === 'branch') {
    const { record, children }: Branch = node
    const length = prefixLength(record)
    if (!isOnPath(record, key, depth, length)) return undefined
    const fork = depth + length
    const nibble = nibbleAt(key, fork)
    const bit = 1 << nibble
    if ((childSet(record) & bit) === 0) return undefined
    depth = fork + 1
    if ((leafSet(record) & bit) !== 0)
      return isKeyOfLeaf(record, nibble, key, depth)
        ? readLeaf(record, nibble, key, depth).value
        : undefined
    let child: Child = children[nibble]
    if (child === undefined) {
      child = load(record, itemAt(record, nibble), key, depth)
      if (keeps) children[nibble] = child as Branch
    }
    node = child
  }
  return node !== undefined && equalBytes(node.key, key) ? node.value : undefined
}
