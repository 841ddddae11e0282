import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ed25519Signer, verifyEd25519 } from '../../base/ed25519.ts'
import { sha256 } from '../../base/sha256.ts'
import { PRECOMMIT, voteSignBytes, type Vote } from '../../proof/comet/vote.ts'
import { NO_SIGN_STATE } from '../files/signState.ts'
import { DoubleSignError, signPrecommit } from './sign.ts'

const CHAIN = 'assay_271828-1'
const signer = ed25519Signer(new Uint8Array(32).fill(3))

function voteFor(height: number, block: number, timeNs = 1_000n, round = 0): Vote {
  const hash = sha256(Uint8Array.of(block))
  return { type: PRECOMMIT, height, round, blockId: { hash, parts: { total: 1, hash } }, timeNs }
}

test('a first signature verifies over the sign bytes', () => {
  const vote = voteFor(1, 1)
  const { signature } = signPrecommit(signer, CHAIN, NO_SIGN_STATE, vote)
  expect(verifyEd25519(signer.publicKey, voteSignBytes(CHAIN, vote), signature)).toBe(true)
})

test('the same vote at another time gets the first signature and the first time', () => {
  const long = `${'a'.repeat(48)}-1`
  for (const chain of [CHAIN, long]) {
    const first = signPrecommit(signer, chain, NO_SIGN_STATE, voteFor(1, 1, 5n))
    const again = signPrecommit(signer, chain, first.state, voteFor(1, 1, 9n))
    expect(again).toEqual(first)
    expect(again.timeNs).toBe(5n)
  }
})

test('another block of the same height, an earlier height and an earlier round are refused', () => {
  const { state } = signPrecommit(signer, CHAIN, NO_SIGN_STATE, voteFor(5, 1, 1n, 2))
  const sign = (vote: Vote) => () => signPrecommit(signer, CHAIN, state, vote)
  expect(sign(voteFor(5, 2, 1n, 2))).toThrow('conflicting data')
  expect(sign(voteFor(4, 1))).toThrow('signed height 5, round 2 already')
  expect(sign(voteFor(5, 1, 1n, 1))).toThrow(DoubleSignError)
  expect(sign(voteFor(6, 1))).not.toThrow()
})

test('no sequence of votes makes it sign two blocks of one height and round', () => {
  const VOTE = fc.record({
    height: fc.integer({ min: 1, max: 4 }),
    block: fc.nat(2),
    time: fc.nat(9),
  })
  fc.assert(
    fc.property(fc.array(VOTE, { maxLength: 12 }), (votes) => {
      let state = NO_SIGN_STATE
      const signedBlocks = new Map<number, number>()
      for (const { height, block, time } of votes) {
        try {
          const signed = signPrecommit(signer, CHAIN, state, voteFor(height, block, BigInt(time)))
          ;({ state } = signed)
          expect(signedBlocks.get(height) ?? block).toBe(block)
          signedBlocks.set(height, block)
        } catch (error) {
          if (!(error instanceof DoubleSignError)) throw error
        }
      }
    }),
    { numRuns: 50 },
  )
})
