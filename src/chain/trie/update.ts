/** Sorted batches of changes to a trie. The given root stays as it is; the new one shares what did not change. */
import { compareBytes } from '../../base/bytes.ts'
import { nibbleAt, sharedNibbles } from '../../proof/nibbles.ts'
import {
  createBranch,
  createExtension,
  createLeaf,
  type BranchNode,
  type ExtensionNode,
  type LeafNode,
  type LoadedNode,
  type NodeLoader,
  type TrieNode,
  type TrieRoot,
} from './node.ts'

/** A new value for a key; undefined removes the key. */
export type TrieChange = { readonly key: Uint8Array; readonly value: Uint8Array | undefined }

/** What an update needs from where the trie is kept. */
export type UpdateContext = {
  readonly load: NodeLoader
  /** Called where a branch ceases to exist, hence its record too: at the first `depth` nibbles of `key`. */
  readonly onVanished: (key: Uint8Array, depth: number) => void
}

type Changes = readonly TrieChange[]

/** Changes in the order that an update wants, sorted in place. */
export function sortChanges(changes: TrieChange[]): TrieChange[] {
  return changes.sort((a, b) => compareBytes(a.key, b.key))
}

/** The first change of lo…hi whose key has another nibble at `depth` than the one at `lo`. */
function endOfGroup(changes: Changes, lo: number, hi: number, depth: number): number {
  const nibble = nibbleAt((changes[lo] as TrieChange).key, depth)
  let end = lo + 1
  while (end < hi && nibbleAt((changes[end] as TrieChange).key, depth) === nibble) end++
  return end
}

function noChildren(): (TrieNode | undefined)[] {
  return Array.from({ length: 16 }, () => undefined)
}

/** A trie of sorted leaves that share their first `depth` nibbles. */
function build(leaves: Changes, depth: number): LoadedNode | undefined {
  const [first] = leaves
  const last = leaves.at(-1)
  if (first === undefined || last === undefined) return undefined
  if (leaves.length === 1) return createLeaf(first.key, first.value as Uint8Array)
  const fork = sharedNibbles(first.key, last.key, depth)
  const endsHere = first.key.length * 2 === fork
  const children = noChildren()
  for (let lo = endsHere ? 1 : 0; lo < leaves.length;) {
    const end = endOfGroup(leaves, lo, leaves.length, fork)
    children[nibbleAt((leaves[lo] as TrieChange).key, fork)] = build(
      leaves.slice(lo, end),
      fork + 1,
    )
    lo = end
  }
  const branch = createBranch(children, endsHere ? first.value : undefined)
  return fork > depth ? createExtension(first.key, fork, branch) : branch
}

/** A new trie of leaves whose keys are in ascending order, each once. Values are never empty. */
export function buildTrie(
  leaves: readonly { readonly key: Uint8Array; readonly value: Uint8Array }[],
): TrieRoot {
  return build(leaves, 0)
}

/** The changes that set a value, with the leaf among them unless a change replaces it. */
function leavesOf(changes: Changes, leaf?: LeafNode): Changes {
  const leaves: TrieChange[] = []
  let pending: TrieChange | undefined = leaf
  for (const change of changes) {
    if (pending !== undefined) {
      const order = compareBytes(pending.key, change.key)
      if (order < 0) leaves.push(pending)
      if (order <= 0) pending = undefined
    }
    if (change.value !== undefined) leaves.push(change)
  }
  if (pending !== undefined) leaves.push(pending)
  return leaves
}

/** The first `depth` nibbles of the key and one more: the path to a child. */
function childPath(key: Uint8Array, depth: number, nibble: number): Uint8Array {
  const path = new Uint8Array((depth >> 1) + 1)
  path.set(key.subarray(0, path.length))
  const byte = path[depth >> 1] as number
  path[depth >> 1] = (depth & 1) === 0 ? nibble << 4 : (byte & 0xf0) | nibble
  return path
}

/** What stands at `depth` for a node that stands at `at`: `key` leads to it, through no other fork. */
function raise(node: LoadedNode, key: Uint8Array, at: number, depth: number): LoadedNode {
  if (at === depth) return node
  if (node.kind === 'leaf') return createLeaf(node.key, node.value)
  if (node.kind === 'extension') return createExtension(node.key, node.end, node.child)
  return createExtension(key, at, node)
}

function applyToBranch(
  branch: BranchNode,
  depth: number,
  changes: Changes,
  context: UpdateContext,
): LoadedNode | undefined {
  const first = changes[0] as TrieChange
  const endsHere = first.key.length * 2 === depth
  const value = endsHere ? first.value : branch.value
  const children = branch.children.slice()
  let changed = value !== branch.value
  for (let lo = endsHere ? 1 : 0; lo < changes.length;) {
    const end = endOfGroup(changes, lo, changes.length, depth)
    const { key } = changes[lo] as TrieChange
    const nibble = nibbleAt(key, depth)
    const before = loadedChild(branch, nibble, key, depth, context.load)
    const after = apply(before, depth + 1, changes.slice(lo, end), context)
    if (after !== before) changed = true
    children[nibble] = after
    lo = end
  }
  if (!changed) return branch
  const only = children.findIndex((child) => child !== undefined)
  const isSingle = only >= 0 && children.findLastIndex((child) => child !== undefined) === only
  if (only >= 0 && (!isSingle || value !== undefined)) return createBranch(children, value)
  context.onVanished(first.key, depth)
  if (only < 0)
    return value === undefined ? undefined : createLeaf(first.key.slice(0, depth >> 1), value)
  const path = childPath(first.key, depth, only)
  return collapse(children[only] as TrieNode, path, depth, context.load)
}

/** What a branch with a single child becomes: that child, with the branch's nibble in its path. */
function collapse(child: TrieNode, path: Uint8Array, depth: number, load: NodeLoader): LoadedNode {
  const node = child.kind === 'stub' ? load(child, path, depth + 1) : child
  return raise(node, path, depth + 1, depth)
}

/** The child, loaded and put in its place when it was a stub. */
export function loadedChild(
  branch: BranchNode,
  nibble: number,
  key: Uint8Array,
  depth: number,
  load: NodeLoader,
): LoadedNode | undefined {
  const child = branch.children[nibble]
  if (child?.kind !== 'stub') return child
  const loaded = load(child, key, depth + 1)
  branch.children[nibble] = loaded
  return loaded
}

/** The extension's branch, loaded and put in its place when it was a stub. */
export function loadedTarget(extension: ExtensionNode, load: NodeLoader): BranchNode {
  if (extension.child.kind === 'branch') return extension.child
  extension.child = load(extension.child, extension.key, extension.end) as BranchNode
  return extension.child
}

function applyToExtension(
  extension: ExtensionNode,
  depth: number,
  changes: Changes,
  context: UpdateContext,
): LoadedNode | undefined {
  const { key, end } = extension
  let fork = end
  for (const change of changes)
    if (change.value !== undefined)
      fork = Math.min(
        fork,
        sharedNibbles(key, change.key, depth, Math.min(end, change.key.length * 2)),
      )
  // Removals that leave the path before the fork remove nothing.
  const reaching = changes.filter(
    (change) =>
      change.key.length * 2 >= fork && sharedNibbles(key, change.key, depth, fork) === fork,
  )
  if (reaching.length === 0) return extension
  if (fork === end) {
    const before = loadedTarget(extension, context.load)
    const after = applyToBranch(before, end, reaching, context)
    if (after === before) return extension
    return after && raise(after, key, end, depth)
  }
  const children = noChildren()
  children[nibbleAt(key, fork)] =
    fork + 1 < end ? createExtension(key, end, extension.child) : extension.child
  const after = applyToBranch(createBranch(children, undefined), fork, reaching, context)
  return after && raise(after, key, fork, depth)
}

function apply(
  node: LoadedNode | undefined,
  depth: number,
  changes: Changes,
  context: UpdateContext,
): LoadedNode | undefined {
  if (node === undefined) return build(leavesOf(changes), depth)
  if (node.kind === 'branch') return applyToBranch(node, depth, changes, context)
  if (node.kind === 'extension') return applyToExtension(node, depth, changes, context)
  return build(leavesOf(changes, node), depth)
}

/** The trie after the changes, whose keys must be in ascending order, each once. Values are never empty. */
export function updateTrie(root: TrieRoot, changes: Changes, context: UpdateContext): TrieRoot {
  if (changes.length === 0) return root
  const start = root?.kind === 'stub' ? context.load(root, (changes[0] as TrieChange).key, 0) : root
  return apply(start, 0, changes, context)
}
