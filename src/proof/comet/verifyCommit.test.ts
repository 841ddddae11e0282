import { expect, test } from 'vitest'
import { ed25519Signer, verifyEd25519 } from '../../base/ed25519.ts'
import { toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { NIL_BLOCK_ID } from './blockId.ts'
import { consensusParamsHash, encodeResultLeaf } from './data.ts'
import { ZERO_TIME_NS, type BlockId, type Commit, type Validator } from './types.ts'
import { addressOfPublicKey, sortValidators } from './validators.ts'
import { verifyCommit } from './verifyCommit.ts'
import { PRECOMMIT, voteSignBytes } from './vote.ts'

const CHAIN = 'assay_271828-1'
const crypto = { sha256, verifyEd25519 }
const signers = [1, 2, 3, 4].map((byte) => ed25519Signer(new Uint8Array(32).fill(byte)))
const validators: readonly Validator[] = sortValidators(
  signers.map(({ publicKey }) => ({
    address: addressOfPublicKey(sha256, publicKey),
    publicKey,
    power: 10n,
    proposerPriority: 0n,
  })),
)
const blockId: BlockId = {
  hash: sha256(Uint8Array.of(1)),
  parts: { total: 1, hash: sha256(Uint8Array.of(2)) },
}

function commitBy(flags: readonly (1 | 2 | 3)[]): Commit {
  const signatures = validators.map((validator, index) => {
    const blockIdFlag = flags[index] ?? 1
    if (blockIdFlag === 1)
      return {
        blockIdFlag,
        validatorAddress: new Uint8Array(0),
        timeNs: ZERO_TIME_NS,
        signature: new Uint8Array(0),
      }
    const timeNs = BigInt(index + 1)
    const id = blockIdFlag === 2 ? blockId : NIL_BLOCK_ID
    const vote = { type: PRECOMMIT, height: 5, round: 0, blockId: id, timeNs } as const
    const signer = signers.find(({ publicKey }) => publicKey === validator.publicKey)
    const signature = signer?.sign(voteSignBytes(CHAIN, vote)) ?? new Uint8Array(0)
    return { blockIdFlag, validatorAddress: validator.address, timeNs, signature }
  })
  return { height: 5, round: 0, blockId, signatures }
}

const check = (commit: Commit, chain = CHAIN) =>
  verifyCommit(crypto, chain, validators, { height: 5, blockId }, commit)

test('three of four equal validators decide', () => {
  expect(() => check(commitBy([2, 2, 2, 1]))).not.toThrow()
  expect(() => check(commitBy([2, 2, 2, 3]))).not.toThrow()
})

test('two of four, or votes for nil, do not', () => {
  expect(() => check(commitBy([2, 2, 1, 1]))).toThrow('20 of 40 power')
  expect(() => check(commitBy([2, 2, 3, 3]))).toThrow('not above 2/3')
})

test('another chain, height, block, order or signature is refused', () => {
  const commit = commitBy([2, 2, 2, 2])
  expect(() => check(commit, 'other-1')).toThrow('signature 0 is wrong')
  expect(() => check({ ...commit, height: 6 })).toThrow('height 6')
  expect(() => check({ ...commit, blockId: NIL_BLOCK_ID })).toThrow('another block')
  expect(() => check({ ...commit, signatures: [...commit.signatures].reverse() })).toThrow(
    'another validator',
  )
  expect(() => check({ ...commit, signatures: commit.signatures.slice(1) })).toThrow('3 signatures')
})

test("a precommit for nil has CometBFT's sign bytes", () => {
  const vote = {
    type: PRECOMMIT,
    height: 1,
    round: 1,
    blockId: NIL_BLOCK_ID,
    timeNs: ZERO_TIME_NS,
  } as const
  expect(toHexDigits(voteSignBytes('', vote))).toBe(
    '2108021101000000000000001901000000000000002a0b088092b8c398feffffff01',
  )
})

test('the default parameters have their known hash, and an all-zero result is an empty leaf', () => {
  expect(toHexDigits(consensusParamsHash(sha256, { maxBytes: 22_020_096n, maxGas: -1n }))).toMatch(
    /^048091bc.*a22f$/,
  )
  const zero = { code: 0, data: new Uint8Array(0), gasWanted: 0n, gasUsed: 0n }
  expect(encodeResultLeaf(zero)).toHaveLength(0)
})
