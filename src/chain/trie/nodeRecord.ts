/**
 * The stored form of trie nodes. Only branches and roots have a record of their own: leaves and extensions stand inside
 * their parent's, and branches below are stubs with their reference. So one changed leaf rewrites one record.
 */
import { nibbleAt } from '../../proof/nibbles.ts'
import { CorruptRecordError, createRecordReader, type RecordReader } from '../records/reader.ts'
import { writeRecord, type RecordWriter } from '../records/writer.ts'
import {
  createBranch,
  createExtension,
  createLeaf,
  type LoadedNode,
  type TrieNode,
} from './node.ts'
import { referenceOf } from './reference.ts'

const LEAF = 0
const EXTENSION = 1
const BRANCH = 2
const STUB = 3

/** Writes the bytes of a key that hold the nibbles start…end, the first and last perhaps only by half. */
function writePath(writer: RecordWriter, key: Uint8Array, start: number, end: number): void {
  writer.part(key, start >> 1, (end + 1) >> 1)
}

/** The first `depth` nibbles of `key`, followed by those of `path`, which starts with the byte of nibble `depth`. */
function joinPath(key: Uint8Array, depth: number, path: Uint8Array): Uint8Array {
  const full = new Uint8Array((depth >> 1) + path.length)
  // Byte by byte: views of small arrays cost more than they save.
  for (let i = 0; i < depth >> 1; i++) full[i] = key[i] as number
  full.set(path, depth >> 1)
  return full
}

function writeStub(writer: RecordWriter, node: TrieNode, depth: number): void {
  writer.byte(STUB)
  writer.bytes(referenceOf(node, depth))
}

/** A node inside of its parent's record. */
function writeInner(writer: RecordWriter, node: TrieNode, depth: number): void {
  if (node.kind === 'branch' || node.kind === 'stub') writeStub(writer, node, depth)
  else writeNode(writer, node, depth)
}

function writeNode(writer: RecordWriter, node: LoadedNode, depth: number): void {
  if (node.kind === 'leaf') {
    writer.byte(LEAF)
    writePath(writer, node.key, depth, node.key.length * 2)
    writer.bytes(node.value)
  } else if (node.kind === 'extension') {
    writer.byte(EXTENSION)
    writer.varint(node.end)
    writePath(writer, node.key, depth, node.end)
    writeStub(writer, node.child, node.end)
  } else {
    writer.byte(BRANCH)
    // Keys of the state tries have one length, so their branches hold no value.
    let present = 0
    for (const [nibble, child] of node.children.entries())
      if (child !== undefined) present |= 1 << nibble
    writer.byte(present >> 8)
    writer.byte(present & 255)
    for (const child of node.children) if (child !== undefined) writeInner(writer, child, depth + 1)
  }
}

/** The record of a node that stands at `depth`. */
export function encodeNodeRecord(node: LoadedNode, depth: number): Uint8Array {
  return writeRecord((writer) => {
    writeNode(writer, node, depth)
  })
}

/** The path of a child: `key` up to `depth`, then one nibble. */
function childKey(key: Uint8Array, depth: number, nibble: number): Uint8Array {
  const path = joinPath(key, depth, new Uint8Array(1))
  path[depth >> 1] = depth % 2 === 0 ? nibble << 4 : (nibbleAt(key, depth - 1) << 4) | nibble
  return path
}

function readStub(reader: RecordReader): TrieNode {
  if (reader.byte() !== STUB) throw new CorruptRecordError('a stored trie node is malformed')
  return { kind: 'stub', reference: reader.bytes() }
}

function readNode(reader: RecordReader, key: Uint8Array, depth: number): TrieNode {
  const kind = reader.byte()
  if (kind === STUB) return { kind: 'stub', reference: reader.bytes() }
  if (kind === LEAF) return createLeaf(joinPath(key, depth, reader.bytes()), reader.bytes())
  if (kind === EXTENSION) {
    const end = reader.varint()
    const path = joinPath(key, depth, reader.bytes())
    const child = readStub(reader)
    if (child.kind === 'stub') return createExtension(path, end, child)
  }
  if (kind !== BRANCH) throw new CorruptRecordError('a stored trie node is malformed')
  const present = (reader.byte() << 8) | reader.byte()
  const children = Array.from({ length: 16 }, (_, nibble) =>
    (present & (1 << nibble)) === 0
      ? undefined
      : readNode(reader, childKey(key, depth, nibble), depth + 1),
  )
  return { ...createBranch(children, undefined), isStored: true }
}

/** The node of a record that stands where the first `depth` nibbles of `key` lead. Throws CorruptRecordError. */
export function decodeNodeRecord(record: Uint8Array, key: Uint8Array, depth: number): LoadedNode {
  const node = readNode(createRecordReader(record), key, depth)
  if (node.kind === 'stub') throw new CorruptRecordError('a stored trie node is a mere reference')
  return node
}
