import { createMPT, verifyMPTWithMerkleProof, createMerkleProof } from '@ethereumjs/mpt'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { verifyTrieProof } from '../../proof/mpt.ts'
import type { TrieRoot } from './node.ts'
import { proveKey } from './prove.ts'
import { rootHash } from './reference.ts'
import type { TrieChange } from './changes.ts'
import { updateTrie, type UpdateContext } from './update.ts'

const load = (): never => {
  throw new Error('nothing is stored')
}
const IN_MEMORY: UpdateContext = { load, onVanished: (): void => {}, bytes: 0, hits: 0 }

// A few hundred keys whose hashes share prefixes, so that batches split, merge and empty branches.
const KEYS = Array.from({ length: 300 }, (_, i) => keccak256(Uint8Array.of(i >> 8, i & 255)))
const batches = fc.array(
  fc.array(
    fc.record({
      key: fc.integer({ min: 0, max: KEYS.length - 1 }),
      value: fc.option(fc.uint8Array({ minLength: 1, maxLength: 90 }), { nil: undefined }),
    }),
    { maxLength: 40 },
  ),
  { minLength: 1, maxLength: 8 },
)

function sorted(batch: readonly { key: number; value: Uint8Array | undefined }[]): TrieChange[] {
  const last = new Map(batch.map(({ key, value }) => [key, value]))
  return [...last]
    .map(([key, value]) => ({ key: KEYS[key] as Uint8Array, value }))
    .sort((a, b) => compareBytes(a.key, b.key))
}

test('any sequence of batches gives the roots of an independent trie', async () => {
  await fc.assert(
    fc.asyncProperty(batches, async (sequence) => {
      const oracle = await createMPT()
      let root: TrieRoot
      for (const batch of sequence) {
        const changes = sorted(batch)
        const before = rootHash(root)
        const next = updateTrie(root, changes, IN_MEMORY)
        for (const { key, value } of changes)
          await (value === undefined ? oracle.del(key) : oracle.put(key, value))
        expect(toHex(rootHash(next))).toBe(toHex(oracle.root()))
        expect(toHex(rootHash(root)), 'the old root still stands').toBe(toHex(before))
        root = next
      }
    }),
    { numRuns: 40 },
  )
})

test('proofs of present and absent keys verify here and with an independent verifier', async () => {
  const changes = sorted(
    Array.from({ length: 150 }, (_, key) => ({ key, value: Uint8Array.of(1 + (key % 250), key) })),
  )
  const root = updateTrie(undefined, changes, IN_MEMORY)
  const hash = rootHash(root)
  for (const [index, key] of KEYS.entries()) {
    const proof = proveKey(root, key, load)
    const expected = index < 150 ? Uint8Array.of(1 + (index % 250), index) : undefined
    expect(verifyTrieProof(hash, key, proof)).toEqual(expected)
    expect(
      (await verifyMPTWithMerkleProof(await createMPT(), hash, key, proof)) ?? undefined,
    ).toEqual(expected)
  }
})

test('a proof is the same list of nodes as an independent prover makes', async () => {
  const oracle = await createMPT()
  const changes = sorted(
    Array.from({ length: 60 }, (_, key) => ({ key, value: Uint8Array.of(7, key) })),
  )
  for (const { key, value } of changes) await oracle.put(key, value as Uint8Array)
  const root = updateTrie(undefined, changes, IN_MEMORY)
  for (const key of KEYS.slice(0, 90))
    expect(proveKey(root, key, load).map(toHex)).toEqual(
      (await createMerkleProof(oracle, key)).map(toHex),
    )
})
