/**
 * Nodes of a Merkle-Patricia trie in memory (Yellow Paper, appendix D). Tries are persistent (copy-on-write): an update
 * copies the nodes on its path and shares the others, so a candidate is dropped by dropping its root. Changed in place
 * are only which of a branch's children are in memory, and whether a branch is stored.
 */

/** The end of one key. In a trie, leaves are packed in their parent; this form is for a root, and during updates. */
export type Leaf = {
  readonly kind: 'leaf'
  readonly key: Uint8Array
  readonly value: Uint8Array
}

/**
 * A fork, with the extension in front of it if there is one. Everything about it is packed in its record (see
 * branchRecord.ts), which is also its stored form: its reference, its nibbles, its leaves, its RLP.
 */
export type Branch = {
  readonly kind: 'branch'
  readonly record: Uint8Array
  /** Branches below that are in memory, by nibble. */
  readonly children: (Branch | undefined)[]
  /** Whether the store has this record, and with it everything below. */
  isStored: boolean
}

/** The root of a trie that is not in memory. */
export type Stub = { readonly kind: 'stub'; readonly hash: Uint8Array }

/** What a branch can have under a nibble. */
export type Child = Leaf | Branch | undefined

/** The root node of a trie; undefined for a trie without keys. */
export type TrieRoot = Child | Stub

/**
 * Reads the node at the first `depth` nibbles of `key`. `parent` holds its item at `item`; for a root, `parent` is only
 * the item.
 */
export type NodeLoader = (
  parent: Uint8Array,
  item: number,
  key: Uint8Array,
  depth: number,
) => Leaf | Branch

/** Sixteen slots for children. A literal: `Array.from` is ten times slower, and every branch needs one. */
export function noChildren<T>(): (T | undefined)[] {
  // oxfmt-ignore
  return [
    undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined,
    undefined, undefined, undefined, undefined, undefined, undefined, undefined, undefined,
  ]
}

// Most branches have only leaves. This shared array is never written to: it would hold only branches.
const NO_BRANCHES: (Branch | undefined)[] = noChildren()

/** An array for the branches below a branch. */
export function childrenOf(hasBranches: boolean): (Branch | undefined)[] {
  return hasBranches ? noChildren() : NO_BRANCHES
}

/** A branch that is not stored. */
export function createBranch(record: Uint8Array, children: (Branch | undefined)[]): Branch {
  return { kind: 'branch', record, children, isStored: false }
}

/** A leaf at any depth. */
export function createLeaf(key: Uint8Array, value: Uint8Array): Leaf {
  return { kind: 'leaf', key, value }
}

// Measured in V8: a typed array with its buffer, the object, and its array of children if it has its own.
const BRANCH_OVERHEAD = 240
const CHILDREN_SIZE = 144

/** Bytes of memory that a branch takes, without those below. */
export function branchBytes({ record, children }: Branch): number {
  return record.length + BRANCH_OVERHEAD + (children === NO_BRANCHES ? 0 : CHILDREN_SIZE)
}
