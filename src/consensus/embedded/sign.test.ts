import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ed25519Signer, verifyEd25519 } from '../../base/ed25519.ts'
import { sha256 } from '../../base/sha256.ts'
import { PRECOMMIT, voteSignBytes } from '../../proof/comet/vote.ts'
import { NO_SIGN_STATE } from '../files/signState.ts'
import { DoubleSignError } from '../privval/signRules.ts'
import { localSigner, signPrecommit } from './sign.ts'

const CHAIN = 'assay_271828-1'
const key = ed25519Signer(new Uint8Array(32).fill(3))
const signerOf = (chain: string) => localSigner({ signer: key, address: new Uint8Array(20) }, chain)
const signer = signerOf(CHAIN)

function voteFor(height: number, block: number, timeNs = 1_000n, round = 0) {
  const hash = sha256(Uint8Array.of(block))
  const blockId = { hash, parts: { total: 1, hash } }
  return { type: PRECOMMIT, height, round, blockId, timeNs } as const
}

test('a first signature verifies over the sign bytes', async () => {
  const vote = voteFor(1, 1)
  const { signature } = await signPrecommit(signer, CHAIN, NO_SIGN_STATE, vote)
  expect(verifyEd25519(key.publicKey, voteSignBytes(CHAIN, vote), signature)).toBe(true)
})

test('the same vote at another time gets the first signature and the first time', async () => {
  const long = `${'a'.repeat(48)}-1`
  for (const chain of [CHAIN, long]) {
    const first = await signPrecommit(signerOf(chain), chain, NO_SIGN_STATE, voteFor(1, 1, 5n))
    const again = await signPrecommit(signerOf(chain), chain, first.state, voteFor(1, 1, 9n))
    expect(again).toEqual(first)
    expect(again.timeNs).toBe(5n)
  }
})

test('another block of the same height, an earlier height and an earlier round are refused', async () => {
  const { state } = await signPrecommit(signer, CHAIN, NO_SIGN_STATE, voteFor(5, 1, 1n, 2))
  const sign = (vote: ReturnType<typeof voteFor>) => signPrecommit(signer, CHAIN, state, vote)
  await expect(sign(voteFor(5, 2, 1n, 2))).rejects.toThrow('conflicting data')
  await expect(sign(voteFor(4, 1))).rejects.toThrow(
    'signed the precommit of height 5, round 2 already',
  )
  await expect(sign(voteFor(5, 1, 1n, 1))).rejects.toThrow(DoubleSignError)
  expect((await sign(voteFor(6, 1))).state.height).toBe(6)
})

test('no sequence of votes makes it sign two blocks of one height and round', async () => {
  const VOTE = fc.record({
    height: fc.integer({ min: 1, max: 4 }),
    block: fc.nat(2),
    time: fc.nat(9),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(VOTE, { maxLength: 12 }), async (votes) => {
      let state = NO_SIGN_STATE
      const signedBlocks = new Map<number, number>()
      for (const { height, block, time } of votes) {
        try {
          const signed = await signPrecommit(
            signer,
            CHAIN,
            state,
            voteFor(height, block, BigInt(time)),
          )
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
