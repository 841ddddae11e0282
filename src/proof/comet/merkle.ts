/** Merkle trees of RFC 6962, section 2.1, as CometBFT uses them: SHA-256, leaves prefixed by 0x00, inner nodes by 0x01. */
import { concatBytes, EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import type { Sha256 } from './crypto.ts'

const HASH_SIZE = 32
const LEAF = Uint8Array.of(0)

// The most common hash inputs are written here instead of into new arrays; they are hashed immediately.
const leafScratch = new Uint8Array(1 + HASH_SIZE)
const innerScratch = new Uint8Array(1 + 2 * HASH_SIZE)
innerScratch[0] = 1

function leafHash(sha256: Sha256, leaf: Uint8Array): Uint8Array {
  if (leaf.length !== HASH_SIZE) return sha256(concatBytes(LEAF, leaf))
  leafScratch.set(leaf, 1)
  return sha256(leafScratch)
}

function innerHash(sha256: Sha256, left: Uint8Array, right: Uint8Array): Uint8Array {
  innerScratch.set(left, 1)
  innerScratch.set(right, 1 + HASH_SIZE)
  return sha256(innerScratch)
}

// The largest power of two below the count: where a tree splits.
function splitPoint(count: number): number {
  let split = 1
  while (split * 2 < count) split *= 2
  return split
}

function rootOfHashes(
  sha256: Sha256,
  hashes: readonly Uint8Array[],
  from: number,
  to: number,
): Uint8Array {
  if (to - from === 1) return hashes[from] as Uint8Array
  const middle = from + splitPoint(to - from)
  return innerHash(
    sha256,
    rootOfHashes(sha256, hashes, from, middle),
    rootOfHashes(sha256, hashes, middle, to),
  )
}

/** The 32-byte root over the leaves; SHA-256 of nothing when there are none. */
export function merkleRoot(sha256: Sha256, leaves: readonly Uint8Array[]): Uint8Array {
  if (leaves.length === 0) return sha256(EMPTY_BYTES)
  const hashes = leaves.map((leaf) => leafHash(sha256, leaf))
  return rootOfHashes(sha256, hashes, 0, hashes.length)
}

/** An inclusion proof. Aunts run from the leaf's side to the root's. */
export type MerkleProof = {
  readonly total: number
  readonly index: number
  readonly leafHash: Uint8Array
  readonly aunts: readonly Uint8Array[]
}

/** The proof of one leaf. Throws RangeError when there is no leaf of that index. */
export function merkleProof(
  sha256: Sha256,
  leaves: readonly Uint8Array[],
  index: number,
): MerkleProof {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length)
    throw new RangeError(`no leaf ${index} among ${leaves.length}`)
  const hashes = leaves.map((leaf) => leafHash(sha256, leaf))
  const aunts: Uint8Array[] = []
  let from = 0
  let to = hashes.length
  while (to - from > 1) {
    const middle = from + splitPoint(to - from)
    const isLeft = index < middle
    const [start, end] = isLeft ? [middle, to] : [from, middle]
    aunts.unshift(rootOfHashes(sha256, hashes, start, end))
    if (isLeft) to = middle
    else from = middle
  }
  return { total: leaves.length, index, leafHash: hashes[index] as Uint8Array, aunts }
}

function rootFromAunts(
  sha256: Sha256,
  index: number,
  total: number,
  hash: Uint8Array,
  aunts: readonly Uint8Array[],
): Uint8Array | undefined {
  const aunt = aunts.at(-1)
  if (total === 1) return aunt === undefined ? hash : undefined
  if (aunt === undefined) return undefined
  const split = splitPoint(total)
  const rest = aunts.slice(0, -1)
  if (index < split) {
    const left = rootFromAunts(sha256, index, split, hash, rest)
    return left && innerHash(sha256, left, aunt)
  }
  const right = rootFromAunts(sha256, index - split, total - split, hash, rest)
  return right && innerHash(sha256, aunt, right)
}

/** The root that a leaf at an index and its aunts lead to, or undefined if they do not fit a tree of that size. */
export function merkleRootOfProof(
  sha256: Sha256,
  leaf: Uint8Array,
  { index, total, aunts }: Omit<MerkleProof, 'leafHash'>,
): Uint8Array | undefined {
  if (!Number.isSafeInteger(total) || !Number.isSafeInteger(index)) return undefined
  // A tree of 2^53 leaves has 53 levels; more aunts only cost time.
  if (index < 0 || index >= total || aunts.length > 53) return undefined
  if (aunts.some(({ length }) => length !== HASH_SIZE)) return undefined
  return rootFromAunts(sha256, index, total, leafHash(sha256, leaf), aunts)
}

/** Whether the proof shows `leaf` at its index under `root`. */
export function verifyMerkleProof(
  sha256: Sha256,
  root: Uint8Array,
  leaf: Uint8Array,
  proof: MerkleProof,
): boolean {
  if (!equalBytes(leafHash(sha256, leaf), proof.leafHash)) return false
  const computed = merkleRootOfProof(sha256, leaf, proof)
  return computed !== undefined && equalBytes(computed, root)
}
