/** Sorted batches of changes to a trie. The given root is not modified; the new one shares all unchanged nodes. */
import { nibbleAt, sharedNibbles } from '../../proof/nibbles.ts'
import {
  childSet,
  isKeyOfLeaf,
  itemAt,
  leafSet,
  prefixLength,
  prefixOf,
  readLeaf,
  valueOf,
} from './branchRecord.ts'
import {
  endOfGroup,
  leavesAfter,
  wholeBatch,
  type Batch,
  type Changes,
  type TrieChange,
} from './changes.ts'
import { composeBranch, replaceHashes, withPrefix } from './composeBranch.ts'
import { nibblesOf } from '../../proof/trie/encoding.ts'
import {
  branchBytes,
  createLeaf,
  noChildren,
  type Branch,
  type Child,
  type Leaf,
  type NodeLoader,
  type TrieRoot,
} from './node.ts'

/** What an update needs from the trie's owner, and what it reports. */
export type UpdateContext = {
  readonly load: NodeLoader
  /** Called where a branch, and hence its record, is gone: at the first `depth` nibbles of `key`. */
  readonly onVanished: (key: Uint8Array, depth: number) => void
  /** Grows by the memory of new branches, less that of the ones they replace. */
  bytes: number
  /** Counts the branches found in memory. */
  hits: number
}

const EVERY_NIBBLE = 0xffff

function counted(context: UpdateContext, old: Branch | undefined, branch: Branch): Branch {
  context.bytes += branchBytes(branch) - (old === undefined ? 0 : branchBytes(old))
  return branch
}

/** A trie of the sorted leaves lo…hi, which share their first `depth` nibbles. */
function build(
  leaves: readonly Leaf[],
  lo: number,
  hi: number,
  depth: number,
  context: UpdateContext,
): Child {
  const first = leaves[lo]
  if (first === undefined || hi - lo < 2) return hi > lo ? first : undefined
  const fork = sharedNibbles(first.key, (leaves[hi - 1] as Leaf).key, depth)
  const endsHere = first.key.length * 2 === fork
  const next = noChildren<Exclude<Child, undefined>>()
  for (let from = endsHere ? lo + 1 : lo; from < hi;) {
    const end = endOfGroup(leaves, from, hi, fork)
    next[nibbleAt((leaves[from] as Leaf).key, fork)] = build(leaves, from, end, fork + 1, context)
    from = end
  }
  const branch = composeBranch({
    old: undefined,
    fork,
    prefix: nibblesOf(first.key, depth, fork),
    changed: EVERY_NIBBLE,
    next,
    value: endsHere ? first.value : undefined,
  })
  return counted(context, undefined, branch)
}

function buildAfter(
  leaf: Leaf | undefined,
  depth: number,
  batch: Batch,
  context: UpdateContext,
): Child {
  const leaves = leavesAfter(batch, leaf)
  return build(leaves, 0, leaves.length, depth, context)
}

/** The branch under a nibble, loaded if it is not in memory. `fork` counts the nibbles above the parent's children. */
function branchUnder(
  parent: Branch,
  nibble: number,
  key: Uint8Array,
  fork: number,
  load: NodeLoader,
): Branch {
  const known = parent.children[nibble]
  if (known !== undefined) return known
  const loaded = load(parent.record, itemAt(parent.record, nibble), key, fork + 1) as Branch
  parent.children[nibble] = loaded
  return loaded
}

/**
 * The child under a nibble after the changes lo…hi, whose keys lead there. Returns the previous branch if nothing
 * changed.
 */
function childAfter(
  parent: Branch,
  nibble: number,
  fork: number,
  batch: Batch,
  context: UpdateContext,
): Child {
  const { record } = parent
  const { changes, lo, hi } = batch
  const { key, value } = changes[lo] as TrieChange
  if ((leafSet(record) & (1 << nibble)) !== 0) {
    if (hi - lo === 1 && isKeyOfLeaf(record, nibble, key, fork + 1))
      return value && createLeaf(key, value)
    const leaf = readLeaf(record, nibble, key, fork + 1)
    return buildAfter(leaf, fork + 1, batch, context)
  }
  if ((childSet(record) & (1 << nibble)) === 0)
    return buildAfter(undefined, fork + 1, batch, context)
  if (parent.children[nibble] !== undefined) context.hits++
  const before = branchUnder(parent, nibble, key, fork, context.load)
  return applyToBranch(before, fork + 1, batch, context)
}

/** The first `depth` nibbles of the key and one more: the path to a child. */
function childPath(key: Uint8Array, depth: number, nibble: number): Uint8Array {
  const path = new Uint8Array((depth >> 1) + 1)
  path.set(key.subarray(0, path.length))
  const byte = path[depth >> 1] as number
  path[depth >> 1] = (depth & 1) === 0 ? nibble << 4 : (byte & 0xf0) | nibble
  return path
}

/** Collapses a branch at `depth` with a single child into that child, with the branch's nibbles in its path. */
function collapse(
  branch: Branch,
  { depth, key }: { readonly depth: number; readonly key: Uint8Array },
  nibble: number,
  changedTo: Child,
  context: UpdateContext,
): Child {
  const prefix = prefixOf(branch.record)
  const fork = depth + prefix.length
  const path = childPath(key, fork, nibble)
  const isLeaf = changedTo === undefined && (leafSet(branch.record) & (1 << nibble)) !== 0
  const child = isLeaf
    ? readLeaf(branch.record, nibble, path, fork + 1)
    : (changedTo ?? branchUnder(branch, nibble, path, fork, context.load))
  context.bytes -= branchBytes(branch)
  if (child.kind === 'leaf') {
    context.onVanished(key, depth)
    return child
  }
  context.onVanished(path, fork + 1)
  const below = prefixOf(child.record)
  const joined = new Uint8Array(prefix.length + 1 + below.length)
  joined.set(prefix)
  joined[prefix.length] = nibble
  joined.set(below, prefix.length + 1)
  return counted(context, child, withPrefix(child, joined))
}

/** The branch at `depth` after changes whose keys all reach its fork. */
function applyAtFork(branch: Branch, depth: number, batch: Batch, context: UpdateContext): Child {
  const { record } = branch
  const { changes, lo, hi } = batch
  const fork = depth + prefixLength(record)
  const first = changes[lo] as TrieChange
  const endsHere = first.key.length * 2 === fork
  const oldValue = valueOf(record)
  const value = endsHere ? first.value : oldValue
  const next = noChildren<Exclude<Child, undefined>>()
  let changed = 0
  let present = childSet(record)
  for (let from = endsHere ? lo + 1 : lo; from < hi;) {
    const end = endOfGroup(changes, from, hi, fork)
    const nibble = nibbleAt((changes[from] as TrieChange).key, fork)
    const bit = 1 << nibble
    const after = childAfter(branch, nibble, fork, { changes, lo: from, hi: end }, context)
    const isSame = after === undefined ? (present & bit) === 0 : after === branch.children[nibble]
    if (!isSame) changed |= bit
    next[nibble] = after
    present = after === undefined ? present & ~bit : present | bit
    from = end
  }
  if (changed === 0 && value === oldValue) return branch
  if (present === 0) {
    context.bytes -= branchBytes(branch)
    context.onVanished(first.key, depth)
    return value && createLeaf(first.key.slice(0, fork >> 1), value)
  }
  if ((present & (present - 1)) === 0 && value === undefined) {
    const only = 31 - Math.clz32(present)
    return collapse(branch, { depth, key: first.key }, only, next[only], context)
  }
  const replaced = value === oldValue ? replaceHashes(branch, changed, next) : undefined
  const prefix = (): Uint8Array => prefixOf(record)
  return counted(
    context,
    branch,
    replaced ?? composeBranch({ old: branch, fork, prefix: prefix(), changed, next, value }),
  )
}

/** The branch at `depth` after changes some of which leave its path before the fork. */
function applyAcross(branch: Branch, depth: number, batch: Batch, context: UpdateContext): Child {
  const prefix = prefixOf(branch.record)
  const end = depth + prefix.length
  const shared = (key: Uint8Array): number => {
    let at = depth
    while (at < end && at < key.length * 2 && nibbleAt(key, at) === prefix[at - depth]) at++
    return at
  }
  const all = batch.changes.slice(batch.lo, batch.hi)
  let fork = end
  for (const { key, value } of all) if (value !== undefined) fork = Math.min(fork, shared(key))
  // Removals that leave the path before the fork remove nothing.
  const reaching = all.filter(({ key }) => shared(key) >= fork)
  if (reaching.length === 0) return branch
  if (fork === end) return applyAtFork(branch, depth, wholeBatch(reaching), context)
  const nibble = prefix[fork - depth] as number
  const next = noChildren<Exclude<Child, undefined>>()
  next[nibble] = counted(context, branch, withPrefix(branch, prefix.slice(fork - depth + 1)))
  const parent = composeBranch({
    old: undefined,
    fork,
    prefix: prefix.slice(0, fork - depth),
    changed: 1 << nibble,
    next,
    value: undefined,
  })
  counted(context, undefined, parent)
  return applyAtFork(parent, depth, wholeBatch(reaching), context)
}

/** Whether the nibbles of the branch's extension, which starts at `depth`, are those of the key. */
function isOnPath(record: Uint8Array, key: Uint8Array, depth: number): boolean {
  const prefix = prefixOf(record)
  return (
    key.length * 2 >= depth + prefix.length &&
    prefix.every((nibble, index) => nibble === nibbleAt(key, depth + index))
  )
}

function applyToBranch(branch: Branch, depth: number, batch: Batch, context: UpdateContext): Child {
  const { changes, lo, hi } = batch
  const isReached =
    prefixLength(branch.record) === 0 ||
    // Keys are sorted, so those between the first and the last share what both share.
    (isOnPath(branch.record, (changes[lo] as TrieChange).key, depth) &&
      isOnPath(branch.record, (changes[hi - 1] as TrieChange).key, depth))
  return isReached
    ? applyAtFork(branch, depth, batch, context)
    : applyAcross(branch, depth, batch, context)
}

/** The root node, loaded if it is a stub. */
export function loadedRoot(root: TrieRoot, load: NodeLoader): Child {
  if (root?.kind !== 'stub') return root
  const item = new Uint8Array(33)
  item[0] = 0xa0
  item.set(root.hash, 1)
  return load(item, 0, item, 0)
}

/** The trie after the changes, whose keys must be in ascending order, each once. Values are never empty. */
export function updateTrie(root: TrieRoot, changes: Changes, context: UpdateContext): TrieRoot {
  if (changes.length === 0) return root
  const start = loadedRoot(root, context.load)
  const batch = wholeBatch(changes)
  if (start?.kind === 'branch') return applyToBranch(start, 0, batch, context)
  return buildAfter(start, 0, batch, context)
}
