/** Proofs out of a trie: the encoded nodes from the root towards a key, as eth_getProof gives them (EIP-1186). */
import { nibbleAt, sharedNibbles } from '../../proof/nibbles.ts'
import type { LoadedNode, NodeLoader, TrieRoot } from './node.ts'
import { encodeNode } from './reference.ts'
import { loadedChild, loadedTarget } from './update.ts'

/**
 * RLP of the nodes that lead to the key, or to where it would be. Nodes under 32 bytes are left out: they stand inside
 * their parents. Empty for a trie without keys.
 */
export function proveKey(root: TrieRoot, key: Uint8Array, load: NodeLoader): Uint8Array[] {
  const proof: Uint8Array[] = []
  let node: LoadedNode | undefined = root?.kind === 'stub' ? load(root, key, 0) : root
  let depth = 0
  while (node !== undefined) {
    const encoded = encodeNode(node, depth)
    if (depth === 0 || encoded.length >= 32) proof.push(encoded)
    if (node.kind === 'leaf') break
    if (node.kind === 'branch') {
      if (depth === key.length * 2) break
      node = loadedChild(node, nibbleAt(key, depth), key, depth, load)
      depth++
    } else {
      const { key: path, end } = node
      if (sharedNibbles(path, key, depth, Math.min(end, key.length * 2)) < end) break
      node = loadedTarget(node, load)
      depth = end
    }
  }
  return proof
}
