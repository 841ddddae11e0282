/** Trie nodes on disk: records keyed by their path, as the last checkpoint left them. */
import { equalBytes } from '../../base/bytes.ts'
import { endOfPrefix } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { childSet, itemSize, leafSet } from './branchRecord.ts'
import { hasOwnReference } from './composeBranch.ts'
import {
  childrenOf,
  createBranch,
  createLeaf,
  type Branch,
  type Leaf,
  type NodeLoader,
} from './node.ts'
import { rootHash } from './reference.ts'

/** The records of one trie: all keys of a table that start with a prefix (an account's address, or nothing). */
export type NodeTable = {
  readonly table: KvTable
  readonly load: NodeLoader
  /** The table's key for the first `depth` nibbles of `key`. */
  pathKey(key: Uint8Array, depth: number): Uint8Array
  /** The keys of all records. */
  keys(): Uint8Array[]
}

// A branch's record starts with an item, which is never a zero byte.
const ROOT_LEAF = 0

/** The record of a node. A leaf has one of its own only as a root. */
export function nodeRecord(node: Leaf | Branch): Uint8Array {
  if (node.kind === 'branch') return node.record
  const { key, value } = node
  const record = new Uint8Array(2 + key.length + value.length)
  record.set([ROOT_LEAF, key.length])
  record.set(key, 2)
  record.set(value, 2 + key.length)
  return record
}

function readRecord(record: Uint8Array): Leaf | Branch {
  if (record[0] === ROOT_LEAF) {
    const end = 2 + (record[1] ?? 0)
    return createLeaf(record.slice(2, end), record.slice(end))
  }
  const branch = createBranch(record, childrenOf(childSet(record) !== leafSet(record)))
  branch.isStored = true
  return branch
}

/** Whether the node is the one that the parent's item refers to. */
function isReferred(node: Leaf | Branch, parent: Uint8Array, item: number): boolean {
  if (node.kind === 'leaf')
    return equalBytes(rootHash(node), parent.subarray(item + 1, item + itemSize(parent, item)))
  const { record } = node
  for (let i = itemSize(parent, item) - 1; i >= 0; i--)
    if (record[i] !== parent[item + i]) return false
  return hasOwnReference(record)
}

/** Keys of one level are adjacent, and no path is mistaken for a longer one that starts with it. */
function pathKeyOf(prefix: Uint8Array, key: Uint8Array, depth: number): Uint8Array {
  const out = new Uint8Array(prefix.length + 1 + ((depth + 1) >> 1))
  out.set(prefix)
  out[prefix.length] = depth
  // Byte by byte: views of small arrays cost more than they save.
  for (let i = 0; i < (depth + 1) >> 1; i++) out[prefix.length + 1 + i] = key[i] as number
  if (depth % 2 === 1) out[out.length - 1] = (out[out.length - 1] as number) & 0xf0
  return out
}

/**
 * The records of the trie whose keys in the table start with `prefix`. `onLoad` is called with each branch that is
 * read.
 */
export function createNodeTable(
  table: KvTable,
  prefix: Uint8Array,
  onLoad?: (branch: Branch) => void,
): NodeTable {
  const pathKey = (key: Uint8Array, depth: number): Uint8Array => pathKeyOf(prefix, key, depth)
  return {
    table,
    pathKey,
    load(parent, item, key, depth) {
      const record = table.get(pathKey(key, depth))
      const node = record && readRecord(record)
      if (node === undefined || !isReferred(node, parent, item))
        throw table.damaged(
          pathKey(key, depth),
          node === undefined ? 'is missing' : 'is not the node that its parent has the hash of',
        )
      if (node.kind === 'branch') onLoad?.(node)
      return node
    },
    keys() {
      const end = endOfPrefix(prefix)
      return Array.from(table.range({ start: prefix, ...(end && { end }) }), ({ key }) => key)
    },
  }
}
