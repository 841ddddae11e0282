import fc from 'fast-check'
import { expect, test } from 'vitest'
import { merkleProof, merkleRoot, rootOfProof } from './merkle.ts'

const leaf = fc.uint8Array({ minLength: 32, maxLength: 32 })

test('the proof of every leaf leads to the root, and that of another leaf does not', () => {
  fc.assert(
    fc.property(fc.array(leaf, { minLength: 1, maxLength: 40 }), leaf, (leaves, other) => {
      const root = merkleRoot(leaves)
      leaves.forEach((each, index) => {
        const proof = merkleProof(leaves, index)
        expect(rootOfProof(each, index, proof)).toEqual(root)
        if (!each.every((byte, i) => byte === other[i]))
          expect(rootOfProof(other, index, proof)).not.toEqual(root)
      })
    }),
    { numRuns: 100 },
  )
})

test('no leaves have a root of zeros', () => {
  expect(merkleRoot([])).toEqual(new Uint8Array(32))
})
