/** Keeps the tries in memory bounded: stored branches turn back into stubs. */
import type { ExtensionNode, StubNode, TrieNode, TrieRoot } from './node.ts'
import { referenceOf } from './reference.ts'

/** How many nodes of a trie are in memory. */
export function countNodes(node: TrieRoot): number {
  if (node === undefined || node.kind === 'stub') return 0
  if (node.kind === 'extension') return 1 + countNodes(node.child)
  if (node.kind === 'leaf') return 1
  let count = 1
  for (const child of node.children) count += countNodes(child)
  return count
}

function stubOf(node: TrieNode, depth: number): StubNode {
  return { kind: 'stub', reference: referenceOf(node, depth) }
}

function evictTarget(extension: ExtensionNode, keepDepth: number): void {
  const { child, end } = extension
  if (child.kind !== 'branch') return
  if (child.isStored && end >= keepDepth) extension.child = stubOf(child, end)
  else evictBelow(child, keepDepth, end)
}

/** Turns the stored branches at `keepDepth` nibbles and deeper into stubs. A root always stays. */
export function evictBelow(node: TrieRoot, keepDepth: number, depth = 0): void {
  if (node?.kind === 'extension') evictTarget(node, keepDepth)
  if (node?.kind !== 'branch') return
  for (const [nibble, child] of node.children.entries()) {
    if (child?.kind === 'extension') evictTarget(child, keepDepth)
    if (child?.kind !== 'branch') continue
    if (child.isStored && depth + 1 >= keepDepth) node.children[nibble] = stubOf(child, depth + 1)
    else evictBelow(child, keepDepth, depth + 1)
  }
}
