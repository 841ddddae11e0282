/**
 * Nodes of a Merkle-Patricia trie in memory (Yellow Paper, appendix D). Tries are persistent: an update copies the nodes
 * on its way and shares the others, so a candidate can be dropped by forgetting its root. Two things of a node change in
 * place, and both leave its meaning as it is: its reference is filled in when it is first computed, and a child turns
 * from a stub into the loaded node and back.
 */

/** How a parent refers to a node: the Keccak-256 of its RLP, or the RLP itself where that has fewer than 32 bytes. */
export type NodeReference = Uint8Array

/** The end of one key. The whole key is kept, so a leaf may stand at any depth. */
export type LeafNode = {
  readonly kind: 'leaf'
  readonly key: Uint8Array
  readonly value: Uint8Array
  reference: NodeReference | undefined
}

/** Nibbles that all keys below share: those of `key` from the node's depth up to `end`. The child is always a branch. */
export type ExtensionNode = {
  readonly kind: 'extension'
  readonly key: Uint8Array
  readonly end: number
  child: BranchNode | StubNode
  reference: NodeReference | undefined
}

/** A fork: sixteen children by nibble, and the value of the key that ends here. */
export type BranchNode = {
  readonly kind: 'branch'
  readonly children: (TrieNode | undefined)[]
  readonly value: Uint8Array | undefined
  reference: NodeReference | undefined
  /** Whether the last checkpoint holds this branch, and with it everything below. */
  isStored: boolean
}

/** A branch that the last checkpoint holds and memory does not; as the root of a trie, any stored node. */
export type StubNode = { readonly kind: 'stub'; readonly reference: NodeReference }

export type LoadedNode = LeafNode | ExtensionNode | BranchNode

export type TrieNode = LoadedNode | StubNode

/** The root node of a trie; undefined for a trie without keys. */
export type TrieRoot = TrieNode | undefined

/** Reads a stub's node, which stands where the first `depth` nibbles of `key` lead. */
export type NodeLoader = (stub: StubNode, key: Uint8Array, depth: number) => LoadedNode

/** A leaf that has no reference yet. */
export function createLeaf(key: Uint8Array, value: Uint8Array): LeafNode {
  return { kind: 'leaf', key, value, reference: undefined }
}

/** An extension that has no reference yet: the nibbles of `key` up to `end`. */
export function createExtension(
  key: Uint8Array,
  end: number,
  child: BranchNode | StubNode,
): ExtensionNode {
  return { kind: 'extension', key, end, child, reference: undefined }
}

/** A branch that neither memory nor disk knows a reference of; `children` has sixteen places. */
export function createBranch(
  children: (TrieNode | undefined)[],
  value: Uint8Array | undefined,
): BranchNode {
  return { kind: 'branch', children, value, reference: undefined, isStored: false }
}
