/** The trie nodes that the tables lack to hold a state: found lazily, so that they can be written in parts. */
import { prefixOf } from './branchRecord.ts'
import type { Branch, TrieRoot } from './node.ts'
import { nodeRecord, type NodeTable } from './nodeTable.ts'
import type { KvTable } from '../../store/kvTable.ts'

/** A trie to store. */
export type TrieImage = {
  readonly nodes: NodeTable
  readonly root: TrieRoot
  /** Whether it was rebuilt, so that no older record may stay. */
  readonly isNew: boolean
  /** Keys of records to remove. */
  readonly vanished: readonly Uint8Array[]
}

/** One record to put, or to remove if it is undefined. */
export type NodeWrite = {
  readonly table: KvTable
  readonly key: Uint8Array
  readonly record: Uint8Array | undefined
  /** The branch that counts as stored once this is committed. */
  readonly branch: Branch | undefined
}

function removal({ table }: NodeTable, key: Uint8Array): NodeWrite {
  return { table, key, record: undefined, branch: undefined }
}

/** Sets one nibble of a path. */
export function setNibble(path: Uint8Array, position: number, nibble: number): void {
  const byte = path[position >> 1] as number
  path[position >> 1] = (position & 1) === 0 ? (byte & 15) | (nibble << 4) : (byte & 0xf0) | nibble
}

// Keys of the state tries have 32 bytes.
const PATH_SIZE = 33

/** Every branch that is not stored, children first: a branch counts as stored with everything below. */
function* branches(
  nodes: NodeTable,
  branch: Branch,
  path: Uint8Array,
  depth: number,
): Generator<NodeWrite> {
  let fork = depth
  for (const nibble of prefixOf(branch.record)) setNibble(path, fork++, nibble)
  for (let nibble = 0; nibble < branch.children.length; nibble++) {
    const child = branch.children[nibble]
    if (child === undefined || child.isStored) continue
    setNibble(path, fork, nibble)
    yield* branches(nodes, child, path, fork + 1)
  }
  const { table } = nodes
  yield { table, key: nodes.pathKey(path, depth), record: branch.record, branch }
}

/** The writes for one trie. Removals come first: a path that vanished may be in use again. */
function* writesOf({ nodes, root, isNew, vanished }: TrieImage): Generator<NodeWrite> {
  for (const key of isNew ? nodes.keys() : vanished) yield removal(nodes, key)
  const path = new Uint8Array(PATH_SIZE)
  if (root === undefined) yield removal(nodes, nodes.pathKey(path, 0))
  if (root?.kind === 'branch' && !root.isStored) yield* branches(nodes, root, path, 0)
  if (root?.kind === 'leaf') {
    const { table } = nodes
    yield { table, key: nodes.pathKey(path, 0), record: nodeRecord(root), branch: undefined }
  }
}

/** The writes that bring the tables from their current state to that of the images, in order. */
export function* unstoredNodes(images: readonly TrieImage[]): Generator<NodeWrite> {
  for (const image of images) yield* writesOf(image)
}
