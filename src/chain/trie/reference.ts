/** RLP of trie nodes and the references made of it. Only nodes without a reference are hashed again. */
import { keccak256 } from '../../base/keccak.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { hexPrefixLength, writeHexPrefix } from '../../proof/nibbles.ts'
import type { BranchNode, LoadedNode, NodeReference, TrieNode, TrieRoot } from './node.ts'

// Large enough for every node of the state tries; transactions and receipts can need more.
let scratch = new Uint8Array(1024)

// Room for the list's own prefix, which is written last because it depends on the payload's length.
const PREFIX_ROOM = 9

function reserve(size: number): void {
  if (scratch.length < size) scratch = new Uint8Array(size * 2)
}

/** Writes an RLP length prefix that ends at `end`; returns where it starts. */
function writePrefixBefore(end: number, length: number, base: number): number {
  if (length < 56) {
    scratch[end - 1] = base + length
    return end - 1
  }
  let at = end
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) scratch[--at] = rest % 256
  scratch[at - 1] = base + 55 + (end - at)
  return at - 1
}

function lengthOfPrefix(length: number): number {
  return length < 56 ? 1 : 1 + Math.ceil((32 - Math.clz32(length)) / 8)
}

function writeString(at: number, bytes: Uint8Array): number {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) {
    scratch[at] = bytes[0] as number
    return at + 1
  }
  const start = at + lengthOfPrefix(bytes.length)
  writePrefixBefore(start, bytes.length, 0x80)
  scratch.set(bytes, start)
  return start + bytes.length
}

/** Takes the buffer as a parameter: a branch copies half a kilobyte here, and a local one is faster to index. */
function writeReference(target: Uint8Array, at: number, reference: NodeReference): number {
  if (reference.length < 32) {
    target.set(reference, at)
    return at + reference.length
  }
  target[at] = 0xa0
  for (let i = 0; i < 32; i++) target[at + 1 + i] = reference[i] as number
  return at + 33
}

function writePath(
  at: number,
  key: Uint8Array,
  start: number,
  end: number,
  isLeaf: boolean,
): number {
  const length = hexPrefixLength(end - start)
  if (length === 1) return writeHexPrefix(scratch, at, key, start, end, isLeaf)
  const from = at + lengthOfPrefix(length)
  writePrefixBefore(from, length, 0x80)
  return writeHexPrefix(scratch, from, key, start, end, isLeaf)
}

function writeBranch(branch: BranchNode): number {
  const target = scratch
  let at = PREFIX_ROOM
  for (const child of branch.children) {
    if (child === undefined) target[at++] = 0x80
    else at = writeReference(target, at, child.reference as NodeReference)
  }
  if (branch.value !== undefined) return writeString(at, branch.value)
  scratch[at] = 0x80
  return at + 1
}

function childrenOf(node: TrieNode): readonly (TrieNode | undefined)[] {
  if (node.kind === 'branch') return node.children
  return node.kind === 'extension' ? [node.child] : []
}

function writePayload(node: LoadedNode, depth: number): number {
  if (node.kind === 'branch') {
    reserve(PREFIX_ROOM + 17 * 33 + (node.value?.length ?? 0) + 9)
    return writeBranch(node)
  }
  if (node.kind === 'extension') {
    const at = writePath(PREFIX_ROOM, node.key, depth, node.end, false)
    return writeReference(scratch, at, node.child.reference as NodeReference)
  }
  reserve(PREFIX_ROOM + node.key.length + node.value.length + 20)
  const at = writePath(PREFIX_ROOM, node.key, depth, node.key.length * 2, true)
  return writeString(at, node.value)
}

/** A view of the node's RLP in the scratch buffer: valid until the next call into this file. */
function encodeIntoScratch(node: LoadedNode, depth: number): Uint8Array {
  const childDepth = node.kind === 'extension' ? node.end : depth + 1
  // All children first: they use the same buffer.
  for (const child of childrenOf(node)) if (child !== undefined) referenceOf(child, childDepth)
  const end = writePayload(node, depth)
  return scratch.subarray(writePrefixBefore(PREFIX_ROOM, end - PREFIX_ROOM, 0xc0), end)
}

/** The node's RLP. `depth` is the count of nibbles above it. */
export function encodeNode(node: LoadedNode, depth: number): Uint8Array {
  return encodeIntoScratch(node, depth).slice()
}

/** How a parent refers to the node at this depth. */
export function referenceOf(node: TrieNode, depth: number): NodeReference {
  if (node.kind === 'stub') return node.reference
  if (node.reference !== undefined) return node.reference
  const encoded = encodeIntoScratch(node, depth)
  node.reference = encoded.length < 32 ? encoded.slice() : keccak256(encoded)
  return node.reference
}

/** The root hash of a trie: 32 bytes, even where the root node is a short one. */
export function rootHash(root: TrieRoot): Uint8Array {
  if (root === undefined) return EMPTY_TRIE_ROOT
  const reference = referenceOf(root, 0)
  return reference.length === 32 ? reference : keccak256(reference)
}
