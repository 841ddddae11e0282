/** Proofs from a trie: the encoded nodes from the root towards a key, as eth_getProof returns them (EIP-1186). */
import { nibbleAt } from '../../proof/nibbles.ts'
import { childSet, itemAt, leafSet, prefixOf, readLeaf } from './branchRecord.ts'
import type { Branch, Child, NodeLoader, TrieRoot } from './node.ts'
import { encodeBranch, encodeExtension, encodeLeaf } from './reference.ts'
import { loadedRoot } from './update.ts'

/** The child under a nibble. */
function childUnder(
  branch: Branch,
  nibble: number,
  key: Uint8Array,
  fork: number,
  load: NodeLoader,
): Child {
  const bit = 1 << nibble
  if ((childSet(branch.record) & bit) === 0) return undefined
  return (leafSet(branch.record) & bit) !== 0
    ? readLeaf(branch.record, nibble, key, fork + 1)
    : // A branch that is read for a proof does not stay in memory.
      (branch.children[nibble] ?? load(branch.record, itemAt(branch.record, nibble), key, fork + 1))
}

/**
 * RLP of the nodes that lead to the key, or to where it would be. Nodes under 32 bytes are omitted: they are embedded
 * in their parents. Empty for a trie without keys.
 */
export function proveKey(root: TrieRoot, key: Uint8Array, load: NodeLoader): Uint8Array[] {
  const proof: Uint8Array[] = []
  const add = (encoded: Uint8Array): void => {
    if (proof.length === 0 || encoded.length >= 32) proof.push(encoded)
  }
  let node = loadedRoot(root, load)
  let depth = 0
  while (node?.kind === 'branch') {
    const prefix = prefixOf(node.record)
    const extension = encodeExtension(node)
    if (extension !== undefined) add(extension)
    for (const nibble of prefix) {
      if (depth >= key.length * 2 || nibbleAt(key, depth) !== nibble) return proof
      depth++
    }
    add(encodeBranch(node))
    if (depth === key.length * 2) return proof
    node = childUnder(node, nibbleAt(key, depth), key, depth, load)
    depth++
  }
  if (node !== undefined) add(encodeLeaf(node, depth))
  return proof
}
