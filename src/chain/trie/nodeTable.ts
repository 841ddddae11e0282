/** Trie nodes on disk: records keyed by their path, as the last checkpoint left them. */
import { concatBytes, equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { endOfPrefix, type KvTable } from '../../store/kv.ts'
import { CorruptRecordError } from '../records/reader.ts'
import type { BranchNode, LoadedNode, NodeLoader, TrieNode, TrieRoot } from './node.ts'
import { decodeNodeRecord, encodeNodeRecord } from './nodeRecord.ts'
import { referenceOf } from './reference.ts'

/** The records of one trie: all keys of a table that start with a prefix (an account's address, or nothing). */
export type NodeTable = {
  readonly load: NodeLoader
  /** The table's key for the first `depth` nibbles of `key`. */
  pathKey(key: Uint8Array, depth: number): Uint8Array
  /** Writes what memory has and the records lack. Returns the branches that are stored once this is committed. */
  store(root: TrieRoot): readonly BranchNode[]
  /** Removes all records. */
  clear(): void
}

/** Keys of one level lie together, and no path is mistaken for a longer one that starts with it. */
function pathKeyOf(prefix: Uint8Array, key: Uint8Array, depth: number): Uint8Array {
  const out = new Uint8Array(prefix.length + 1 + ((depth + 1) >> 1))
  out.set(prefix)
  out[prefix.length] = depth
  // Byte by byte: views of small arrays cost more than they save.
  for (let i = 0; i < (depth + 1) >> 1; i++) out[prefix.length + 1 + i] = key[i] as number
  if (depth % 2 === 1) out[out.length - 1] = (out[out.length - 1] as number) & 0xf0
  return out
}

type Visit = (node: LoadedNode, path: Uint8Array, depth: number) => void

/** Visits the root and every branch below that is not stored, parents first. */
function visitUnstored(root: TrieRoot, visit: Visit): void {
  const path = new Uint8Array(33)
  const descend = (node: TrieNode | undefined, depth: number): void => {
    if (node?.kind === 'extension') {
      path.set(node.key.subarray(0, (node.end + 1) >> 1))
      descend(node.child, node.end)
    }
    if (node?.kind !== 'branch' || node.isStored) return
    // The root is visited already, stored or not.
    if (depth > 0) visit(node, path, depth)
    const at = depth >> 1
    const before = path[at] as number
    for (const [nibble, child] of node.children.entries()) {
      path[at] = depth % 2 === 0 ? nibble << 4 : (before & 0xf0) | nibble
      descend(child, depth + 1)
    }
    path[at] = before
  }
  if (root === undefined || root.kind === 'stub') return
  visit(root, path, 0)
  descend(root, 0)
}

/** The records of the trie whose keys in the table start with `prefix`. */
export function createNodeTable(table: KvTable, prefix: Uint8Array): NodeTable {
  const pathKey = (key: Uint8Array, depth: number): Uint8Array => pathKeyOf(prefix, key, depth)
  return {
    pathKey,
    load(stub, key, depth) {
      const record = table.get(pathKey(key, depth))
      const node = record && decodeNodeRecord(record, key, depth)
      if (node === undefined || !equalBytes(referenceOf(node, depth), stub.reference))
        throw new CorruptRecordError(
          `the stored state trie has a wrong node at ${toHexDigits(pathKey(key, depth))}: restore the home from a backup or sync anew`,
        )
      return node
    },
    store(root) {
      const branches: BranchNode[] = []
      visitUnstored(root, (node, path, depth) => {
        table.put(pathKey(path, depth), encodeNodeRecord(node, depth))
        if (node.kind === 'branch') branches.push(node)
      })
      if (root === undefined) table.remove(pathKey(concatBytes(), 0))
      return branches
    },
    clear() {
      const end = endOfPrefix(prefix)
      const range = { start: prefix, ...(end && { end }) }
      const keys = Array.from(table.range(range), ({ key }) => key)
      for (const key of keys) table.remove(key)
    },
  }
}
