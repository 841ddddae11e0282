import fc from 'fast-check'
import { expect, test } from 'vitest'
import { utf8 } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { merkleProof, merkleRoot, verifyMerkleProof } from './merkle.ts'

test('no leaves and one empty leaf have the roots of RFC 6962', () => {
  expect(toHexDigits(merkleRoot(sha256, []))).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  )
  expect(toHexDigits(merkleRoot(sha256, [new Uint8Array(0)]))).toBe(
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  )
})

const LEAVES = fc.array(fc.uint8Array({ maxLength: 8 }), { minLength: 1, maxLength: 40 })

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
  expect(verifyMerkleProof(sha256, root, leaf, { ...proof, aunts: proof.aunts.slice(1) })).toBe(
    false,
  )
  expect(() => merkleProof(sha256, leaves, 5)).toThrow('no leaf 5')
})
