/** Binary Merkle trees over SHA-256, which contracts compute by the precompile at address 2. */
import { concatBytes } from '../../base/bytes.ts'
import { sha256 } from '../../base/sha256.ts'

/** First bytes of everything that is hashed, so that a hash of one kind never passes for another (domain separation). */
export const TAG = { row: 0, node: 1, layer: 2, logits: 3, token: 4, tensor: 5, shape: 6 } as const

const EMPTY = new Uint8Array(32)

/** The hash of two children: SHA-256 over the byte 1 and both. */
function hashNode(left: Uint8Array, right: Uint8Array): Uint8Array {
  return sha256(concatBytes(Uint8Array.of(TAG.node), left, right))
}

/** The root over 32-byte leaves. A node without a sibling moves up unchanged; without leaves the root is 32 zero bytes. */
export function merkleRoot(leaves: readonly Uint8Array[]): Uint8Array {
  let level = leaves
  while (level.length > 1) level = nextLevel(level)
  return level[0] ?? EMPTY
}

/** The siblings from a leaf up to the root; undefined where a node has none. */
export function merkleProof(
  leaves: readonly Uint8Array[],
  index: number,
): readonly (Uint8Array | undefined)[] {
  const proof: (Uint8Array | undefined)[] = []
  let level = leaves
  for (let at = index; level.length > 1; at >>= 1) {
    proof.push(level[at ^ 1])
    level = nextLevel(level)
  }
  return proof
}

/** The root that a leaf and its proof lead to. */
export function rootOfProof(
  leaf: Uint8Array,
  index: number,
  proof: readonly (Uint8Array | undefined)[],
): Uint8Array {
  let node = leaf
  proof.forEach((neighbour, level) => {
    if (neighbour === undefined) return
    node = (index >> level) & 1 ? hashNode(neighbour, node) : hashNode(node, neighbour)
  })
  return node
}

function nextLevel(level: readonly Uint8Array[]): readonly Uint8Array[] {
  const next: Uint8Array[] = []
  for (let i = 0; i < level.length; i += 2) {
    const left = level[i] as Uint8Array
    const right = level[i + 1]
    next.push(right === undefined ? left : hashNode(left, right))
  }
  return next
}
