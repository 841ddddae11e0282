import fc from 'fast-check'
import { expect, test } from 'vitest'
import { concatBytes, equalBytes, utf8 } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { merkleProof, merkleRoot, verifyMerkleProof, type MerkleProof } from './merkle.ts'

test('no leaves and one empty leaf have the roots of RFC 6962', () => {
  expect(toHexDigits(merkleRoot(sha256, []))).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
  expect(toHexDigits(merkleRoot(sha256, [new Uint8Array(0)]))).toBe(
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  )
})

const LEAVES = fc.array(fc.uint8Array({ maxLength: 40 }), { minLength: 1, maxLength: 40 })

test('the proof of every leaf verifies', () => {
  fc.assert(
    fc.property(LEAVES, (leaves) => {
      const root = merkleRoot(sha256, leaves)
      for (const [index, leaf] of leaves.entries()) {
        const proof = merkleProof(sha256, leaves, index)
        expect(verifyMerkleProof(sha256, root, leaf, proof)).toBe(true)
      }
    }),
    { numRuns: 30 },
  )
})

test('a proof fails for another leaf, index, total or aunt', () => {
  const leaves = ['a', 'b', 'c', 'd', 'e'].map(utf8)
  const root = merkleRoot(sha256, leaves)
  const proof = merkleProof(sha256, leaves, 2)
  const leaf = utf8('c')
  expect(verifyMerkleProof(sha256, root, utf8('x'), proof)).toBe(false)
  expect(verifyMerkleProof(sha256, root, leaf, { ...proof, index: 3 })).toBe(false)
  expect(verifyMerkleProof(sha256, root, leaf, { ...proof, index: -1 })).toBe(false)
  expect(verifyMerkleProof(sha256, root, leaf, { ...proof, total: 3 })).toBe(false)
  const [first, ...others] = proof.aunts
  const longer = concatBytes(first ?? leaf, Uint8Array.of(0))
  expect(verifyMerkleProof(sha256, root, leaf, { ...proof, aunts: [longer, ...others] })).toBe(
    false,
  )
  expect(verifyMerkleProof(sha256, root, leaf, { ...proof, aunts: proof.aunts.slice(1) })).toBe(
    false,
  )
  expect(() => merkleProof(sha256, leaves, 5)).toThrow('no leaf 5')
})

const hashLeaf = (leaf: Uint8Array) => sha256(concatBytes(Uint8Array.of(0), leaf))
const hashPair = (left: Uint8Array, right: Uint8Array) =>
  sha256(concatBytes(Uint8Array.of(1), left, right))

/** The tree level by level: pairs are joined and an odd last one moves up, which gives RFC 6962's tree. */
function plainRoot(leaves: readonly Uint8Array[]): Uint8Array {
  let level = leaves.map(hashLeaf)
  while (level.length > 1) {
    const above: Uint8Array[] = []
    for (let i = 0; i < level.length; i += 2) {
      const [left, right] = level.slice(i, i + 2)
      if (left !== undefined) above.push(right === undefined ? left : hashPair(left, right))
    }
    level = above
  }
  return level[0] ?? sha256(new Uint8Array(0))
}

/** Verification by the bits of index and size (RFC 9162, section 2.1.3.2). */
function plainVerify(root: Uint8Array, leaf: Uint8Array, proof: MerkleProof): boolean {
  if (proof.index >= proof.total) return false
  let fn = proof.index
  let sn = proof.total - 1
  let hash = hashLeaf(leaf)
  for (const aunt of proof.aunts) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      hash = hashPair(aunt, hash)
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2)
        sn = Math.floor(sn / 2)
      }
    } else hash = hashPair(hash, aunt)
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  return sn === 0 && equalBytes(hash, root)
}

test('roots and proofs are those of a second implementation that goes by levels and bits', () => {
  fc.assert(
    fc.property(LEAVES, (leaves) => {
      const root = merkleRoot(sha256, leaves)
      expect(root).toEqual(plainRoot(leaves))
      for (const [index, leaf] of leaves.entries())
        expect(plainVerify(root, leaf, merkleProof(sha256, leaves, index))).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test('both implementations judge altered proofs alike', () => {
  const altered = fc.record({
    index: fc.nat(12),
    total: fc.nat(12),
    drop: fc.nat(4),
    extra: fc.boolean(),
  })
  fc.assert(
    fc.property(LEAVES, fc.nat(), altered, (leaves, pick, { index, total, drop, extra }) => {
      const root = merkleRoot(sha256, leaves)
      const at = pick % leaves.length
      const leaf = leaves[at] as Uint8Array
      const honest = merkleProof(sha256, leaves, at)
      const more = extra ? [sha256(leaf)] : []
      const proof = { ...honest, index, total, aunts: [...honest.aunts.slice(drop), ...more] }
      expect(verifyMerkleProof(sha256, root, leaf, proof)).toBe(plainVerify(root, leaf, proof))
    }),
    { numRuns: 500 },
  )
})

test('no single bit of a proof, its leaf or its root can be flipped', () => {
  const leaves = Array.from({ length: 11 }, (_, i) => utf8(`leaf ${i}`))
  const root = merkleRoot(sha256, leaves)
  const leaf = leaves[6] as Uint8Array
  const proof = merkleProof(sha256, leaves, 6)
  const flips = (bytes: Uint8Array) =>
    Array.from({ length: bytes.length * 8 }, (_, bit) =>
      bytes.map((byte, i) => (i === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte)),
    )
  for (const other of flips(root)) expect(verifyMerkleProof(sha256, other, leaf, proof)).toBe(false)
  for (const other of flips(leaf)) expect(verifyMerkleProof(sha256, root, other, proof)).toBe(false)
  for (const leafHash of flips(proof.leafHash))
    expect(verifyMerkleProof(sha256, root, leaf, { ...proof, leafHash })).toBe(false)
  for (const [at, aunt] of proof.aunts.entries())
    for (const other of flips(aunt)) {
      const aunts = proof.aunts.map((each, i) => (i === at ? other : each))
      expect(verifyMerkleProof(sha256, root, leaf, { ...proof, aunts })).toBe(false)
    }
})
