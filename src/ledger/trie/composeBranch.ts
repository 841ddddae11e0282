/**
 * Builds branches: from scratch, and from an older branch with other children. Each is encoded once and hashed right
 * away.
 */
import {
  CHILD_SET,
  LEAF_SET,
  LENGTH_SIZE,
  NODE_AT,
  PREFIX,
  childSet,
  endOfLeaf,
  firstItem,
  itemSize,
  leafSet,
  leavesOf,
  nodeOf,
  prefixOf,
} from './branchRecord.ts'
import {
  HASH_ITEM_SIZE,
  leafRoom,
  writeExtension,
  writeHeader,
  writeItem,
  writeLeaf,
  writeString,
} from '../../proof/trie/encoding.ts'
import { childrenOf, createBranch, type Branch, type Child, type Leaf } from './node.ts'
import { SCRATCH, scratchOf } from '../../proof/trie/scratch.ts'

/** Plan of a new branch. */
export type BranchPlan = {
  /** The branch that it replaces at the same fork. */
  readonly old: Branch | undefined
  /** Number of nibbles above its children, without the one that leads to them. */
  readonly fork: number
  /** The nibbles of the extension in front of it. */
  readonly prefix: Uint8Array
  /** Nibbles whose child is the one in `next`, one bit each; the others are those of `old`. */
  readonly changed: number
  readonly next: readonly Child[]
  /** The value of the key that ends here. */
  readonly value: Uint8Array | undefined
}

// The items of changed leaves are kept here until their position in the branch's RLP is known.
const ITEMS = SCRATCH
const RECORD = ITEMS + 16 * HASH_ITEM_SIZE

/** Room for a record of this size, and for a node behind it. */
function roomFor(size: number, node: number): number {
  return RECORD - SCRATCH + size + node
}

function copy(
  memory: Uint8Array,
  at: number,
  from: Uint8Array,
  start: number,
  end: number,
): number {
  // Byte by byte for one item: a view of a small array costs more than the copy.
  if (end - start > 2 * HASH_ITEM_SIZE) memory.set(from.subarray(start, end), at)
  else for (let i = start; i < end; i++) memory[at + i - start] = from[i] as number
  return at + end - start
}

function writeLength(memory: Uint8Array, at: number, length: number): void {
  memory[at] = length >> 16
  memory[at + 1] = (length >> 8) & 255
  memory[at + 2] = length & 255
}

function writeSet(memory: Uint8Array, at: number, set: number): void {
  memory[at] = set >> 8
  memory[at + 1] = set & 255
}

function writeLeafEntry(memory: Uint8Array, at: number, leaf: Leaf, depth: number): number {
  const { key, value } = leaf
  const from = depth >> 1
  memory[at] = key.length - from
  const length = copy(memory, at + 1, key, from, key.length)
  writeLength(memory, length, value.length)
  return copy(memory, length + LENGTH_SIZE, value, 0, value.length)
}

/** Writes the reference of a record whose RLP and prefix are written: that of its extension if it has one. */
function writeReference(memory: Uint8Array, end: number, prefix: Uint8Array, node: number): void {
  const size = writeItem(memory, node, end, RECORD)
  if (prefix.length === 0) return
  const extension = writeExtension(memory, end, prefix, RECORD, size)
  writeItem(memory, end, extension, RECORD)
}

/** Writes the leaves of a plan and the items of the changed ones. Returns the offset after them. */
function writeLeaves(memory: Uint8Array, start: number, plan: BranchPlan, node: number): number {
  const { old, changed, next, fork } = plan
  let at = start
  let oldAt = old === undefined ? 0 : leavesOf(old.record)
  const oldLeaves = old === undefined ? 0 : leafSet(old.record)
  let leaves = 0
  for (let nibble = 0, bit = 1; nibble < 16; nibble++, bit <<= 1) {
    const oldEnd =
      old !== undefined && (oldLeaves & bit) !== 0 ? endOfLeaf(old.record, oldAt) : oldAt
    if ((changed & bit) === 0) {
      if (old !== undefined && oldEnd > oldAt) {
        at = copy(memory, at, old.record, oldAt, oldEnd)
        leaves |= bit
      }
    } else {
      const child = next[nibble]
      if (child?.kind === 'leaf') {
        at = writeLeafEntry(memory, at, child, fork + 1)
        leaves |= bit
        const end = writeLeaf(memory, node, child.key, fork + 1, child.value)
        writeItem(memory, node, end, ITEMS + nibble * HASH_ITEM_SIZE)
      }
    }
    oldAt = oldEnd
  }
  writeSet(memory, RECORD + LEAF_SET, leaves)
  return at
}

/** Writes the sixteen items of a plan, and the set of children into the record. Returns the offset after the items. */
function writeItems(memory: Uint8Array, start: number, plan: BranchPlan): number {
  const { old, changed, next } = plan
  let at = start
  let oldAt = old === undefined ? 0 : firstItem(old.record)
  let children = old === undefined ? 0 : childSet(old.record) & ~changed
  for (let nibble = 0, bit = 1; nibble < 16; nibble++, bit <<= 1) {
    const size = old === undefined ? 0 : itemSize(old.record, oldAt)
    const child = next[nibble]
    if ((changed & bit) === 0 && old !== undefined) {
      at = copy(memory, at, old.record, oldAt, oldAt + size)
    } else if (child === undefined) {
      memory[at++] = 0x80
    } else {
      children |= bit
      const from = child.kind === 'leaf' ? memory : child.record
      const item = child.kind === 'leaf' ? ITEMS + nibble * HASH_ITEM_SIZE : 0
      at = copy(memory, at, from, item, item + itemSize(from, item))
    }
    oldAt += size
  }
  writeSet(memory, RECORD + CHILD_SET, children)
  return at
}

function branchesOf(
  { old, changed, next }: BranchPlan,
  hasBranches: boolean,
): (Branch | undefined)[] {
  const children = childrenOf(hasBranches)
  if (!hasBranches) return children
  for (let nibble = 0, bit = 1; nibble < 16; nibble++, bit <<= 1) {
    const child = (changed & bit) === 0 ? old?.children[nibble] : next[nibble]
    if (child?.kind === 'branch') children[nibble] = child
  }
  return children
}

/** Room for the leaves of a plan, and for the RLP of the longest. */
function roomForLeaves({ old, next }: BranchPlan): {
  readonly entries: number
  readonly node: number
} {
  let entries = old?.record.length ?? 0
  let node = 128
  for (const child of next)
    if (child?.kind === 'leaf') {
      const room = leafRoom(child.key, child.value)
      entries += room
      if (room > node) node = room
    }
  return { entries, node }
}

/** Whether the nibble has a branch before and after, both with a hash: nothing else in the record changes then. */
function isHashForHash(old: Branch, nibble: number, at: number, child: Child): boolean {
  return (
    child?.kind === 'branch' &&
    child.record[0] === 0xa0 &&
    old.record[at] === 0xa0 &&
    (leafSet(old.record) & (1 << nibble)) === 0
  )
}

/** The branch with other hashes of its child branches; undefined if more than hashes changes. */
export function replaceHashes(
  old: Branch,
  changed: number,
  next: readonly Child[],
): Branch | undefined {
  const memory = scratchOf(roomFor(old.record.length, 128))
  memory.set(old.record, RECORD)
  const children = old.children.slice()
  let at = firstItem(old.record)
  for (let nibble = 0, bit = 1; bit <= changed; nibble++, bit <<= 1) {
    if ((changed & bit) !== 0) {
      const child = next[nibble]
      if (!isHashForHash(old, nibble, at, child) || child?.kind !== 'branch') return undefined
      copy(memory, RECORD + at, child.record, 0, HASH_ITEM_SIZE)
      children[nibble] = child
    }
    at += itemSize(old.record, at)
  }
  const end = RECORD + old.record.length
  writeReference(memory, end, prefixOf(old.record), RECORD + nodeOf(old.record))
  return createBranch(memory.slice(RECORD, end), children)
}

/** The same fork behind another extension. */
export function withPrefix(branch: Branch, prefix: Uint8Array): Branch {
  const { record } = branch
  const leaves = leavesOf(record)
  const rest = record.length - leaves
  const memory = scratchOf(roomFor(PREFIX + 1 + prefix.length + rest, 128))
  copy(memory, RECORD, record, 0, PREFIX)
  memory[RECORD + PREFIX] = prefix.length
  const at = copy(memory, RECORD + PREFIX + 1, prefix, 0, prefix.length)
  const end = copy(memory, at, record, leaves, record.length)
  const node = at - RECORD + nodeOf(record) - leaves
  writeLength(memory, RECORD + NODE_AT, node)
  writeReference(memory, end, prefix, RECORD + node)
  return createBranch(memory.slice(RECORD, end), branch.children)
}

/** Whether the record's reference is that of its RLP. */
export function hasOwnReference(record: Uint8Array): boolean {
  const memory = scratchOf(roomFor(record.length, 128))
  memory.set(record, RECORD)
  const end = RECORD + record.length
  writeReference(memory, end, prefixOf(record), RECORD + nodeOf(record))
  for (let i = itemSize(record, 0) - 1; i >= 0; i--)
    if (memory[RECORD + i] !== record[i]) return false
  return true
}

/** The branch of a plan. It has at least two children, or one child and a value. */
export function composeBranch(plan: BranchPlan): Branch {
  const { prefix, value } = plan
  const { entries, node } = roomForLeaves(plan)
  const most =
    PREFIX + 1 + prefix.length + entries + 17 * HASH_ITEM_SIZE + 16 + (value?.length ?? 0)
  const memory = scratchOf(roomFor(most, node))
  memory[RECORD + PREFIX] = prefix.length
  let at = copy(memory, RECORD + PREFIX + 1, prefix, 0, prefix.length)
  at = writeLeaves(memory, at, plan, RECORD + most)
  // The items are written after room for the longest header, and moved if it is shorter.
  const items = at + 4
  let end = writeItems(memory, items, plan)
  if (value === undefined) memory[end++] = 0x80
  else end = writeString(memory, end, value)
  const payload = end - items
  const start = writeHeader(memory, at, payload, 0xc0)
  memory.copyWithin(start, items, end)
  end = start + payload
  writeLength(memory, RECORD + NODE_AT, at - RECORD)
  writeReference(memory, end, prefix, at)
  const record = memory.slice(RECORD, end)
  return createBranch(record, branchesOf(plan, childSet(record) !== leafSet(record)))
}
