/** The keys with which validators sign: who may take one, how often, and what stays with the validator. */
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  account,
  consensusOf,
  createStakingRig,
  UNIT,
  validatorKey,
  type StakingRig,
} from '../../../test/support/stakingRig.ts'
import { bigintToFixedBytes, bytesToBigint } from '../../base/bytes.ts'
import { ed25519Signer } from '../../base/ed25519.ts'
import { fromHex, toHex, type Hex } from '../../base/hex.ts'
import { keyProofMessage } from './keyProof.ts'

const DAY = 86_400n
const ORDER = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n
const PARAMETERS = { max_missed: 2, signed_window: 100_000, jail_time: 60 }

const signerOf = (byte: number) => ed25519Signer(new Uint8Array(32).fill(byte))
type Proof = readonly [key: Hex, r: Hex, s: Hex]

async function proofOf(rig: StakingRig, byte: number, operator: Hex): Promise<Proof> {
  const message = await rig.read('keyProofMessage', operator)
  const { publicKey, sign } = signerOf(byte)
  const signature = sign(fromHex(message))
  return [toHex(publicKey), toHex(signature.slice(0, 32)), toHex(signature.slice(32))]
}

test('the message of a proof is what the program computes', async () => {
  const rig = createStakingRig(2, {})
  expect(await rig.read('keyProofMessage', account(6))).toBe(
    toHex(keyProofMessage(271_828n, fromHex(account(6)))),
  )
})

const errorOf = async (rig: StakingRig, operator: Hex, proof: readonly Hex[]) =>
  (await rig.send(operator, 'proveKey', proof)).error

/** The next key of account 1, as if it were proven. */
async function rotate(rig: StakingRig, index: number): Promise<string | undefined> {
  rig.prove(account(1), validatorKey(index))
  return (await rig.send(account(1), 'setConsensusKey', [validatorKey(index)])).error
}

// Holds D83.
test('a validator is made with a key that its operator proved to have, and with no other', async () => {
  const rig = createStakingRig(2, {})
  const proof = await proofOf(rig, 9, account(6))
  const create = (operator: Hex) =>
    rig.send(operator, 'createValidator', [proof[0], operator, 500, 2_000, 100], 10n * UNIT)
  expect(await create(account(6))).toMatchObject({ error: 'KeyNotProven' })
  // Somebody who sees the proof cannot use it.
  expect(await errorOf(rig, account(7), proof)).toBe('InvalidKeyProof')
  const { error, gasUsed } = await rig.send(account(6), 'proveKey', proof)
  expect(error).toBeUndefined()
  expect(gasUsed).toBeLessThan(1_000_000n)
  process.stdout.write(`a proof of a key: ${gasUsed} gas\n`)
  expect(await create(account(7))).toMatchObject({ error: 'KeyNotProven' })
  expect((await create(account(6))).error).toBeUndefined()
  expect(await errorOf(rig, account(7), await proofOf(rig, 9, account(7)))).toBe(
    'ConsensusKeyInUse',
  )
})

// Holds D83.
test('whoever has a key can take it, though somebody else claimed it before', async () => {
  const rig = createStakingRig(2, {})
  const squatted = await proofOf(rig, 9, account(7))
  expect(await errorOf(rig, account(7), squatted)).toBeUndefined()
  expect(await errorOf(rig, account(1), await proofOf(rig, 9, account(1)))).toBeUndefined()
  expect((await rig.send(account(1), 'setConsensusKey', [squatted[0]])).error).toBeUndefined()
  expect(await rig.read('operatorOf', consensusOf(squatted[0]))).toMatch(
    new RegExp(account(1), 'i'),
  )
})

const littleEndian = (value: bigint) => toHex(bigintToFixedBytes(value, 32).toReversed())
const numberOf = (hex: Hex) => bytesToBigint(fromHex(hex).toReversed())

test('a spoilt proof is none', async () => {
  const rig = createStakingRig(2, {})
  const [key, r, s] = await proofOf(rig, 9, account(6))
  const flipped = (hex: Hex, bit: number) => {
    const bytes = fromHex(hex)
    bytes[bit >> 3] = (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7))
    return toHex(bytes)
  }
  const spoilt: (readonly Hex[])[] = [
    [key, r, littleEndian(numberOf(s) + ORDER)],
    [key, littleEndian(1n), littleEndian(0n)],
    [littleEndian(2n ** 255n - 19n), r, s],
    [littleEndian(2n), r, s],
  ]
  for (let bit = 0; bit < 256; bit += 17)
    spoilt.push([flipped(key, bit), r, s], [key, flipped(r, bit), s], [key, r, flipped(s, bit)])
  for (const proof of spoilt) expect(await errorOf(rig, account(6), proof)).toBe('InvalidKeyProof')
  expect(await errorOf(rig, account(6), [key, r, s])).toBeUndefined()
})

test('keys of small order, for which anybody can sign, are refused', async () => {
  const rig = createStakingRig(2, {})
  const neutral = littleEndian(1n)
  // With S = 0 and R = the neutral element the equation holds for the neutral element as key.
  expect(await errorOf(rig, account(6), [neutral, neutral, littleEndian(0n)])).toBe(
    'InvalidKeyProof',
  )
})

test('proofs of random keys and operators are what node:crypto signs', async () => {
  const rig = createStakingRig(2, {})
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 32, maxLength: 32 }),
      fc.integer({ min: 2, max: 9 }),
      async (seed, index) => {
        const prefix = Buffer.from('302e020100300506032b657004220420', 'hex')
        const der = Buffer.concat([prefix, seed])
        const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
        const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' })
        const key = toHex(Uint8Array.from(spki.subarray(-32)))
        const message = await rig.read('keyProofMessage', account(index))
        const signature = Uint8Array.from(sign(null, fromHex(message), privateKey))
        const [r, s] = [toHex(signature.slice(0, 32)), toHex(signature.slice(32))]
        expect(await errorOf(rig, account(index), [key, r, s])).toBeUndefined()
        expect(await errorOf(rig, account(index), [key, s, r])).toBe('InvalidKeyProof')
      },
    ),
    { numRuns: 40 },
  )
})

// Holds D83.
test('changing the key does not evade jail: missed blocks stay with the validator', async () => {
  const rig = createStakingRig(2, PARAMETERS)
  const absent = () => rig.endBlock(0n, [consensusOf(validatorKey(1))])
  await absent()
  await absent()
  expect(await rotate(rig, 7)).toBeUndefined()
  await rig.endBlock()
  expect((await rig.read('validatorOf', account(1))).missed).toBe(2)
  await rig.endBlock(0n, [consensusOf(validatorKey(7))])
  expect(await rig.read('validatorOf', account(1))).toMatchObject({ isJailed: true, power: 0n })
})

// Holds D83.
test('a key is changed once a day', async () => {
  const rig = createStakingRig(2, PARAMETERS)
  expect(await rotate(rig, 7)).toBeUndefined()
  expect(await rotate(rig, 8)).toBe('KeyChangeTooEarly')
  rig.wait(DAY - 1n)
  expect(await rotate(rig, 8)).toBe('KeyChangeTooEarly')
  rig.wait(1n)
  expect(await rotate(rig, 8)).toBeUndefined()
})

// Holds D84.
test.each([5_000, 10_000])(
  'an absence that should cost %s basis points costs half of the stake at most, and the validator can come back',
  async (absenceSlash) => {
    const rig = createStakingRig(2, { ...PARAMETERS, max_missed: 0, absence_slash: 5_000 })
    // As in a chain that began with an older contract.
    const parameters = await rig.read('parameters')
    const all = Object.entries(parameters).map(([name, value]) => [name, BigInt(value)] as const)
    rig.put({ parameters_: { ...Object.fromEntries(all), absenceSlash: BigInt(absenceSlash) } })
    expect((await rig.read('parameters')).absenceSlash).toBe(absenceSlash)
    await rig.endBlock(0n, [consensusOf(validatorKey(1))])
    expect(await rig.read('validatorOf', account(1))).toMatchObject({
      isJailed: true,
      tokens: 5n * UNIT,
    })
    await rig.send(account(1), 'delegate', [account(1)], 5n * UNIT)
    rig.wait(60n)
    expect((await rig.send(account(1), 'unjail', [])).error).toBeUndefined()
    expect(await rig.endBlock()).toMatchObject([{ power: 10n }])
  },
)
