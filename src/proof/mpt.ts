/** Verification of Merkle-Patricia proofs: that a trie with a given root holds a key, or that it does not. Pure. */
import { equalBytes } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { decodeRlp, encodeRlp, RlpError, type RlpItem } from '../base/rlp.ts'
import { nibbleAt, tryDecodeHexPrefix } from './nibbles.ts'

/** A proof does not prove its claim: `message` tells which node is wrong. */
export class ProofError extends Error {
  override readonly name = 'ProofError'
}

/** Root of a trie without keys: Keccak-256 of the RLP of an empty string. */
export const EMPTY_TRIE_ROOT: Uint8Array = keccak256(Uint8Array.of(0x80))

/** Position of a walk through the nodes of a proof. */
type Cursor = { readonly node: readonly RlpItem[]; readonly depth: number }

function decodeNode(bytes: Uint8Array, index: number): readonly RlpItem[] {
  try {
    const item = decodeRlp(bytes)
    if (!(item instanceof Uint8Array)) return item
  } catch (error) {
    if (!(error instanceof RlpError)) throw error
    throw new ProofError(`proof node ${index} is not RLP: ${error.message}`, { cause: error })
  }
  throw new ProofError(`proof node ${index} is not a list`)
}

/** The reference that a node holds for the key's next step: a child, a value, or undefined if the key is absent. */
type Step =
  | { readonly kind: 'child'; readonly reference: RlpItem; readonly depth: number }
  | { readonly kind: 'value'; readonly value: Uint8Array }
  | { readonly kind: 'absent' }

const ABSENT: Step = { kind: 'absent' }

function valueStep(item: RlpItem | undefined): Step {
  if (!(item instanceof Uint8Array)) throw new ProofError('a trie value is not a byte string')
  return item.length === 0 ? ABSENT : { kind: 'value', value: item }
}

function childStep(reference: RlpItem | undefined, depth: number): Step {
  if (reference === undefined) throw new ProofError('a trie node lacks a child reference')
  if (reference instanceof Uint8Array && reference.length === 0) return ABSENT
  return { kind: 'child', reference, depth }
}

function stepThroughPath({ node, depth }: Cursor, key: Uint8Array): Step {
  const [encodedPath, target] = node
  const path = encodedPath instanceof Uint8Array ? tryDecodeHexPrefix(encodedPath) : undefined
  if (path === undefined) throw new ProofError('a trie node has a malformed path')
  const left = key.length * 2 - depth
  const matches =
    path.nibbles.length <= left &&
    path.nibbles.every((nibble, index) => nibble === nibbleAt(key, depth + index))
  if (path.isLeaf) return matches && path.nibbles.length === left ? valueStep(target) : ABSENT
  return matches ? childStep(target, depth + path.nibbles.length) : ABSENT
}

function step(cursor: Cursor, key: Uint8Array): Step {
  const { node, depth } = cursor
  if (node.length === 2) return stepThroughPath(cursor, key)
  if (node.length !== 17) throw new ProofError('a trie node has neither 2 nor 17 items')
  return depth === key.length * 2
    ? valueStep(node[16])
    : childStep(node[nibbleAt(key, depth)], depth + 1)
}

/**
 * The value under a key of the trie with this root, or undefined when the proof shows that there is none. The key is
 * the path itself: hash it first where the trie is a secure one. `nodes` are RLP, from the root downwards, as in
 * EIP-1186; nodes shorter than 32 bytes are embedded in their parents. Throws ProofError if the nodes do not lead from
 * the root to the result, or if some are left over.
 */
export function verifyTrieProof(
  root: Uint8Array,
  key: Uint8Array,
  nodes: readonly Uint8Array[],
): Uint8Array | undefined {
  let used = 0
  const take = (hash: Uint8Array): readonly RlpItem[] => {
    const bytes = nodes[used]
    if (bytes === undefined) throw new ProofError(`proof ends before node ${used}`)
    if (!equalBytes(keccak256(bytes), hash))
      throw new ProofError(`proof node ${used} does not hash to its reference`)
    return decodeNode(bytes, used++)
  }
  const finish = (value: Uint8Array | undefined): Uint8Array | undefined => {
    if (used !== nodes.length) throw new ProofError(`proof has ${nodes.length - used} unused nodes`)
    return value
  }
  if (equalBytes(root, EMPTY_TRIE_ROOT)) {
    // Some provers return the encoded empty node, others nothing.
    if (nodes.length === 1 && nodes[0]?.length === 1 && nodes[0][0] === 0x80) return undefined
    return finish(undefined)
  }
  let cursor: Cursor = { node: take(root), depth: 0 }
  for (;;) {
    const next = step(cursor, key)
    if (next.kind === 'absent') return finish(undefined)
    if (next.kind === 'value') return finish(next.value)
    const { reference, depth } = next
    if (!(reference instanceof Uint8Array)) {
      if (encodeRlp(reference).length >= 32)
        throw new ProofError('a node of 32 bytes or more stands inside its parent')
      cursor = { node: reference, depth }
    } else if (reference.length === 32) cursor = { node: take(reference), depth }
    else throw new ProofError('a child reference is neither a hash nor a node')
  }
}
