// Holds D98.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ed25519Signer, verifyEd25519 } from '../../base/ed25519.ts'
import { sha256 } from '../../base/sha256.ts'
import { NIL_BLOCK_ID } from '../../proof/comet/blockId.ts'
import { extensionSignBytes, proposalSignBytes } from '../../proof/comet/proposal.ts'
import { voteSignBytes } from '../../proof/comet/vote.ts'
import { NO_SIGN_STATE, type SignState } from '../files/signState.ts'
import type { PrivvalMessage, WireProposal, WireVote } from './messages.ts'
import { createSigner, type Signer } from './signer.ts'

const CHAIN = 'assay_271828-1'
const NOTHING = new Uint8Array(0)
const signer = ed25519Signer(new Uint8Array(32).fill(9))
const key = { signer, address: new Uint8Array(20) }

function idOf(block: number) {
  const hash = sha256(Uint8Array.of(block))
  return block === 0 ? NIL_BLOCK_ID : { hash, parts: { total: 1, hash } }
}
function voteFor(type: 1 | 2, height: number, block: number, timeNs = 5n, round = 0): WireVote {
  return {
    type,
    height,
    round,
    blockId: idOf(block),
    timeNs,
    validatorAddress: key.address,
    validatorIndex: 0,
    signature: NOTHING,
    extension: NOTHING,
    extensionSignature: NOTHING,
  }
}
const proposalFor = (height: number, block: number, timeNs = 5n, round = 0): WireProposal => ({
  height,
  round,
  polRound: -1,
  blockId: idOf(block),
  timeNs,
  signature: NOTHING,
})

function create(state: SignState = NO_SIGN_STATE) {
  const refused: string[] = []
  const kept: SignState[] = []
  const made = createSigner({
    key,
    chainId: CHAIN,
    state,
    keep: (next) => kept.push(next),
    onRefused: (reason) => refused.push(reason),
  })
  return { signer: made, refused, kept }
}

function signVote(from: Signer, vote: WireVote, chainId = CHAIN): WireVote | string {
  const answer = from.answer({ type: 'signVoteRequest', vote, chainId })
  if (answer?.type !== 'signedVoteResponse') throw new Error('another answer')
  return 'error' in answer.answer ? answer.answer.error.description : answer.answer.vote
}
function signProposal(from: Signer, proposal: WireProposal): WireProposal | string {
  const answer = from.answer({ type: 'signProposalRequest', proposal, chainId: CHAIN })
  if (answer?.type !== 'signedProposalResponse') throw new Error('another answer')
  return 'error' in answer.answer ? answer.answer.error.description : answer.answer.proposal
}

test('proposal, prevote and precommit of a height are signed, each after it is kept', () => {
  const { signer: made, kept } = create()
  const proposal = signProposal(made, proposalFor(4, 1))
  const prevote = signVote(made, voteFor(1, 4, 1))
  const precommit = signVote(made, voteFor(2, 4, 1))
  if (typeof proposal === 'string' || typeof prevote === 'string' || typeof precommit === 'string')
    throw new Error('refused')
  const holds = (signBytes: Uint8Array, signature: Uint8Array) =>
    verifyEd25519(signer.publicKey, signBytes, signature)
  expect(holds(proposalSignBytes(CHAIN, proposal), proposal.signature)).toBe(true)
  expect(holds(voteSignBytes(CHAIN, prevote), prevote.signature)).toBe(true)
  expect(holds(voteSignBytes(CHAIN, precommit), precommit.signature)).toBe(true)
  expect(holds(extensionSignBytes(CHAIN, precommit), precommit.extensionSignature)).toBe(true)
  expect(prevote.extensionSignature).toEqual(NOTHING)
  expect(kept.map(({ height, step }) => [height, step])).toEqual([
    [4, 1],
    [4, 2],
    [4, 3],
  ])
})

test('the same again gets the first signature; anything else of that step is refused', () => {
  const { signer: made, refused } = create()
  const first = signProposal(made, proposalFor(4, 1))
  expect(signProposal(made, proposalFor(4, 1, 9n))).toEqual(first)
  expect(signProposal(made, proposalFor(4, 2))).toContain('conflicting data')
  const vote = signVote(made, voteFor(2, 4, 1))
  expect(signVote(made, voteFor(2, 4, 1, 77n))).toEqual(vote)
  expect(signVote(made, voteFor(2, 4, 2))).toContain('conflicting data')
  expect(signVote(made, voteFor(1, 4, 1))).toContain('signed the precommit of height 4')
  expect(signProposal(made, proposalFor(3, 1))).toContain('refusing to sign the proposal')
  expect(signVote(made, voteFor(2, 5, 1), 'other-1')).toContain('not for other-1')
  expect(refused).toHaveLength(5)
})

test('what could not be kept is not signed', () => {
  const failing = createSigner({
    key,
    chainId: CHAIN,
    state: NO_SIGN_STATE,
    keep() {
      throw new Error('ENOSPC')
    },
    onRefused: () => undefined,
  })
  expect(() => signVote(failing, voteFor(2, 1, 1))).toThrow('ENOSPC')
})

test('the key is told to its own chain; pings are answered, and what is no request is not', () => {
  const { signer: made } = create()
  const ask = (request: PrivvalMessage) => made.answer(request)
  expect(ask({ type: 'pubKeyRequest', chainId: CHAIN })).toEqual({
    type: 'pubKeyResponse',
    answer: { publicKey: signer.publicKey },
  })
  expect(ask({ type: 'pubKeyRequest', chainId: 'x' })).toMatchObject({ answer: { error: {} } })
  expect(ask({ type: 'pingRequest' })).toEqual({ type: 'pingResponse' })
  expect(ask({ type: 'pingResponse' })).toBeUndefined()
})

// Holds D67.
test('no sequence of requests, with restarts, gets two signatures for one step', () => {
  const STEP = fc.record({
    kind: fc.integer({ min: 0, max: 2 }),
    height: fc.integer({ min: 1, max: 3 }),
    round: fc.nat(1),
    block: fc.nat(2),
    time: fc.bigInt({ min: 1n, max: 5n }),
    isRestart: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(STEP, { maxLength: 20 }), (steps) => {
      let rig = create()
      let last = NO_SIGN_STATE
      const signed = new Map<string, number>()
      for (const { kind, height, round, block, time, isRestart } of steps) {
        last = rig.kept.at(-1) ?? last
        if (isRestart) rig = create(last)
        const result =
          kind === 0
            ? signProposal(rig.signer, proposalFor(height, block, time, round))
            : signVote(rig.signer, voteFor(kind === 1 ? 1 : 2, height, block, time, round))
        if (typeof result === 'string') continue
        const name = `${height}/${round}/${kind}`
        expect(signed.get(name) ?? block).toBe(block)
        signed.set(name, block)
      }
    }),
    { numRuns: 300 },
  )
})
