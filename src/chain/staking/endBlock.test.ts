import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createStakingRig, validatorKey } from '../../../test/support/stakingRig.ts'
import { bigintToFixedBytes, concatAll, concatBytes } from '../../base/bytes.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { updateValidators } from '../../consensus/embedded/state.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import { decodeSet, differenceOf, MAX_POWER, type ValidatorPower } from './validatorSet.ts'

const word = (value: bigint | number) => bigintToFixedBytes(BigInt(value), 32)

function answerOf(set: readonly ValidatorPower[]): Uint8Array {
  return concatBytes(
    word(32),
    word(set.length),
    ...set.flatMap(({ publicKey, power }) => [publicKey, word(power)]),
  )
}

const member = (key: number, power: bigint): ValidatorPower => ({
  publicKey: new Uint8Array(32).fill(key),
  power,
})

/** Code that writes slot 0x99 and then answers these bytes. */
function answering(answer: Uint8Array): Uint8Array {
  const size = bigintToFixedBytes(BigInt(answer.length), 2)
  // PUSH1 1 PUSH1 0x99 SSTORE; CODECOPY of what follows this code; RETURN.
  const start = 5 + 7 + 4 + 1
  return concatAll([
    Uint8Array.of(0x60, 1, 0x60, 0x99, 0x55),
    concatBytes(Uint8Array.of(0x61), size, Uint8Array.of(0x60, start, 0x5f, 0x39)),
    concatBytes(Uint8Array.of(0x61), size, Uint8Array.of(0x5f, 0xf3)),
    answer,
  ])
}

function rigWith(code: Uint8Array) {
  const rig = createStakingRig(2, {})
  const codeHash = keccak256(code)
  const contract = rig.world.account(STAKING_ADDRESS)
  if (contract === undefined) throw new Error('no contract')
  rig.world.setAccount(STAKING_ADDRESS, { ...contract, codeHash }, code)
  return rig
}

const GENESIS_SET = [0, 1].map((index) => ({
  publicKey: fromHex(validatorKey(index)),
  power: 10n,
}))

test('a contract of another kind is obeyed where its answer is a proper set', async () => {
  const rig = rigWith(answering(answerOf([member(9, 7n), member(2, 11n)])))
  expect(await rig.endBlock(5n)).toEqual([member(1, 0n), member(2, 11n), member(9, 7n)])
  expect(rig.engineSet()).toEqual([member(2, 11n), member(9, 7n)])
  expect(rig.world.storage(STAKING_ADDRESS, word(0x99))).toEqual(word(1))
  // The same answer again changes nothing.
  expect(await rig.endBlock()).toEqual([])
})

const valid = answerOf([member(1, 10n), member(2, 10n)])
// Holds D52.
test.each([
  ['reverts', fromHex('0x5f5ffd')],
  ['halts', fromHex('0xfe')],
  ['never ends', fromHex('0x5b5f56')],
  ['has no code', new Uint8Array(0)],
  ['answers nothing', answering(new Uint8Array(0))],
  ['answers less than it says', answering(valid.subarray(0, valid.length - 1))],
  ['answers more than it says', answering(concatBytes(valid, new Uint8Array(32)))],
  ['points elsewhere', answering(concatBytes(word(64), valid.subarray(32)))],
  [
    'names more validators than there may be',
    answering(answerOf([1, 2, 3, 4].map((key) => member(key, 1n)))),
  ],
  ['claims a huge length', answering(concatBytes(word(32), word(2n ** 255n)))],
  ['names a key twice', answering(answerOf([member(3, 1n), member(4, 1n), member(3, 1n)]))],
  ['gives no power', answering(answerOf([member(3, 0n)]))],
  ['gives too much power', answering(answerOf([member(3, MAX_POWER + 1n)]))],
])('a contract that %s keeps the set, and its writes are dropped', async (_what, code) => {
  const rig = rigWith(code)
  const before = rig.balance(toHex(STAKING_ADDRESS))
  expect(await rig.endBlock(5n)).toEqual([])
  expect(rig.engineSet()).toEqual(GENESIS_SET)
  expect(rig.world.storage(STAKING_ADDRESS, word(0x99))).toEqual(word(0))
  // The income waits for a contract that distributes it.
  expect(rig.balance(toHex(STAKING_ADDRESS))).toBe(before + 5n)
})

const sets = fc.uniqueArray(
  fc.record({ key: fc.integer({ min: 1, max: 12 }), power: fc.bigInt(1n, 5n) }),
  { selector: ({ key }) => key, maxLength: 10, minLength: 1 },
)

test('updates lead an engine from any set to any other, as CometBFT applies them', () => {
  fc.assert(
    fc.property(sets, sets, (first, second) => {
      const [before, after] = [first, second].map((set) =>
        set.map(({ key, power }) => member(key, power)),
      )
      if (before === undefined || after === undefined) return
      const updates = differenceOf(before, after)
      const asUpdates = (set: readonly ValidatorPower[]) =>
        set.map((entry) => ({ type: 'ed25519' as const, ...entry }))
      const engine = updateValidators(updateValidators([], asUpdates(before)), asUpdates(updates))
      const keys = updates.map(({ publicKey }) => toHex(publicKey))
      expect(keys).toEqual([...new Set(keys)].sort())
      expect(new Map(engine.map(({ publicKey, power }) => [toHex(publicKey), power]))).toEqual(
        new Map(after.map(({ publicKey, power }) => [toHex(publicKey), power])),
      )
      // CometBFT refuses to remove a key that it does not have.
      const known = new Set(before.map(({ publicKey }) => toHex(publicKey)))
      for (const { publicKey, power } of updates)
        if (power === 0n) expect(known.has(toHex(publicKey))).toBe(true)
    }),
  )
})

test('an answer of any bytes is a set or none', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (tail) => {
      for (const answer of [tail, concatBytes(word(32), word(2), tail)]) {
        const set = decodeSet(answer, 10)
        if (set !== undefined)
          expect(new Set(set.map(({ publicKey }) => toHex(publicKey))).size).toBe(set.length)
      }
    }),
  )
  expect(decodeSet(answerOf([]), 10)).toEqual([])
})
