import { expect, test } from 'vitest'
import {
  account,
  consensusOf,
  createStakingRig,
  RICH,
  UNIT,
  validatorKey,
  type StakingRig,
} from '../../../test/support/stakingRig.ts'
import { fromHex, toHex } from '../../base/hex.ts'
import { EMPTY_CODE_HASH } from '../../evm/types.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import { SYSTEM_CALL_GAS } from './endBlock.ts'

const DELEGATOR = account(8)
const JOINING = account(6)
const NOBODY = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }
const ALL = 10n * UNIT
const HOUR = 3600n
const PARAMETERS = { unbonding_time: 3600, max_missed: 2, signed_window: 100, jail_time: 60 }

const rigOf = (validators = 2) => createStakingRig(validators, PARAMETERS)
const doubleSign = (rig: StakingRig, index: number, height = rig.height(), age = 0n) => ({
  validator: fromHex(consensusOf(validatorKey(index))),
  height,
  timeNs: (rig.timestamp() - age) * 1_000_000_000n,
})
const powers = (updates: readonly { publicKey: Uint8Array; power: bigint }[]) =>
  updates.map(({ publicKey, power }) => [toHex(publicKey), power])

async function create(rig: StakingRig, operator: `0x${string}`, index: number, stake = 10n * UNIT) {
  const args = [validatorKey(index), operator, 500, 2_000, 100] as const
  rig.prove(operator, validatorKey(index))
  return await rig.send(operator, 'createValidator', args, stake)
}

/** Divisions round down. */
function expectAbout(actual: bigint, expected: bigint): void {
  expect(actual).toBeLessThanOrEqual(expected)
  expect(actual).toBeGreaterThanOrEqual(expected - 3n)
}

const expectAddress = (address: string): unknown => expect.stringMatching(new RegExp(address, 'i'))

test('the validators of genesis are stakers: the contract holds their stake and knows their keys', async () => {
  const rig = rigOf()
  expect(rig.balance(toHex(STAKING_ADDRESS))).toBe(20n * UNIT)
  expect(await rig.read('totals')).toEqual({
    bonded: 20n * UNIT,
    unbonding: 0n,
    rewards: 0n,
    power: 20n,
    isSetStale: false,
  })
  expect(await rig.read('validatorSet')).toEqual([0, 1].map(account).map((a) => expectAddress(a)))
  expect(await rig.read('validatorOf', account(1))).toMatchObject({
    publicKey: validatorKey(1),
    tokens: ALL,
    shares: ALL,
    power: 10n,
    commission: 1_000,
  })
  expect(await rig.read('delegationOf', account(1), account(1))).toMatchObject({ shares: ALL })
  expect(await rig.read('parameters')).toMatchObject({
    powerUnit: UNIT,
    unbondingTime: 3600n,
    maxValidators: 3,
    maxMissed: 2,
    doubleSignSlash: 500,
  })
  expect(powers(rig.engineSet())).toEqual([
    [validatorKey(0), 10n],
    [validatorKey(1), 10n],
  ])
  expect(await rig.endBlock()).toEqual([])
})

test('a delegation changes the power, undelegating changes it back and pays after the unbonding time', async () => {
  const rig = rigOf()
  await rig.send(DELEGATOR, 'delegate', [account(1)], 5n * UNIT)
  expect(powers(await rig.endBlock())).toEqual([[validatorKey(1), 15n]])
  await rig.send(DELEGATOR, 'undelegate', [account(1), 5n * UNIT])
  expect(powers(await rig.endBlock())).toEqual([[validatorKey(1), 10n]])
  expect(await rig.send(DELEGATOR, 'withdrawUnbonded', [0n])).toMatchObject({
    error: 'StillUnbonding',
  })
  rig.wait(HOUR)
  expect(await rig.send(DELEGATOR, 'withdrawUnbonded', [0n])).toMatchObject({ error: undefined })
  expect(rig.balance(DELEGATOR)).toBe(RICH)
  expect(await rig.send(DELEGATOR, 'withdrawUnbonded', [0n])).toMatchObject({
    error: 'NoSuchUnbonding',
  })
})

// Holds D18.
test('income goes by power to validators, by commission to operators, by shares to delegators', async () => {
  const rig = rigOf()
  await rig.send(DELEGATOR, 'delegate', [account(1)], 30n * UNIT)
  // Until the end of this block the old powers count.
  await rig.endBlock(2_000n)
  expectAbout(await rig.read('commissionOf', account(0)), 100n)
  expectAbout(await rig.read('rewardsOf', account(0), account(0)), 900n)
  expectAbout(await rig.read('rewardsOf', DELEGATOR, account(1)), 675n)
  // Of 50 units 40 are behind the second: 4,000, of which 400 are commission and three quarters of the rest for 30 units.
  await rig.endBlock(5_000n)
  expectAbout(await rig.read('commissionOf', account(1)), 100n + 400n)
  const rewards = await rig.read('rewardsOf', DELEGATOR, account(1))
  expectAbout(rewards, 675n + 2_700n)
  await rig.send(DELEGATOR, 'withdrawRewards', [account(1)])
  expect(rig.balance(DELEGATOR)).toBe(RICH - 30n * UNIT + rewards)
  expect(await rig.send(DELEGATOR, 'withdrawRewards', [account(1)])).toMatchObject({
    error: 'NothingToWithdraw',
  })
})

test('commission goes to the reward address, which the operator alone sets', async () => {
  const rig = rigOf()
  const consensus = consensusOf(validatorKey(1))
  expect(await rig.send(DELEGATOR, 'setReward', [consensus, DELEGATOR])).toMatchObject({
    error: 'NotOperator',
  })
  await rig.send(account(1), 'setReward', [consensus, DELEGATOR])
  await rig.endBlock(2_000n)
  await rig.send(account(1), 'withdrawCommission', [])
  expectAbout(rig.balance(DELEGATOR), RICH + 100n)
})

test('commission keeps its bounds, and moves once a day', async () => {
  const rig = rigOf()
  await create(rig, JOINING, 6)
  const set = (rate: number) => rig.send(JOINING, 'setCommission', [rate])
  expect(await set(2_001)).toMatchObject({ error: 'CommissionOutOfBounds' })
  expect(await set(601)).toMatchObject({ error: 'CommissionChangeTooLarge' })
  expect(await set(600)).toMatchObject({ error: undefined })
  expect(await set(500)).toMatchObject({ error: 'CommissionChangeTooEarly' })
  rig.wait(24n * HOUR)
  expect(await set(500)).toMatchObject({ error: undefined })
})

test('a new validator joins the set, and the weakest leaves where it is full', async () => {
  const rig = rigOf(3)
  expect(await create(rig, JOINING, 6, UNIT - 1n)).toMatchObject({ error: 'StakeTooSmall' })
  expect(await create(rig, JOINING, 6, 9n * UNIT)).toMatchObject({ error: undefined })
  expect(await create(rig, JOINING, 7)).toMatchObject({ error: 'ValidatorExists' })
  expect(await create(rig, DELEGATOR, 6)).toMatchObject({ error: 'ConsensusKeyInUse' })
  // A candidate, but weaker than the three.
  expect(await rig.endBlock()).toEqual([])
  await rig.send(DELEGATOR, 'delegate', [JOINING], 2n * UNIT)
  expect(powers(await rig.endBlock())).toEqual([
    [validatorKey(2), 0n],
    [validatorKey(6), 11n],
  ])
  // A seat becomes free: the next candidate takes it automatically.
  await rig.send(account(0), 'undelegate', [account(0), ALL])
  expect(powers(await rig.endBlock())).toEqual([
    [validatorKey(0), 0n],
    [validatorKey(2), 10n],
  ])
})

test('a set of one is closed: nobody joins, the key stays, and it never becomes empty', async () => {
  const rig = createStakingRig(1, { max_validators: 1 })
  expect(await create(rig, JOINING, 6)).toMatchObject({ error: 'ClosedSet' })
  expect(await rig.send(account(0), 'setConsensusKey', [validatorKey(7)])).toMatchObject({
    error: 'ClosedSet',
  })
  await rig.send(DELEGATOR, 'delegate', [account(0)], UNIT)
  expect(powers(await rig.endBlock())).toEqual([[validatorKey(0), 11n]])
  await rig.send(account(0), 'undelegate', [account(0), ALL])
  await rig.send(DELEGATOR, 'undelegate', [account(0), UNIT])
  expect(await rig.endBlock()).toEqual([])
  expect(powers(rig.engineSet())).toEqual([[validatorKey(0), 11n]])
})

test('a validator may sign with another key, and still answers for the old one', async () => {
  const rig = rigOf()
  expect(await rig.send(account(1), 'setConsensusKey', [validatorKey(0)])).toMatchObject({
    error: 'ConsensusKeyInUse',
  })
  rig.prove(account(1), validatorKey(7))
  await rig.send(account(1), 'setConsensusKey', [validatorKey(7)])
  expect(powers(await rig.endBlock())).toEqual([
    [validatorKey(1), 0n],
    [validatorKey(7), 10n],
  ])
  expect(await rig.read('rewardOf', consensusOf(validatorKey(7)))).toEqual(
    expectAddress(account(1)),
  )
  expect(powers(await rig.endBlock(0n, [], [doubleSign(rig, 1)]))).toEqual([[validatorKey(7), 0n]])
})

test('too many absences of one window jail, cost a little, and end by a transaction', async () => {
  const rig = rigOf()
  const absent = [consensusOf(validatorKey(1))]
  expect(await rig.endBlock(0n, absent)).toEqual([])
  expect(await rig.endBlock(0n, absent)).toEqual([])
  expect(powers(await rig.endBlock(0n, absent))).toEqual([[validatorKey(1), 0n]])
  // It is reported for two more blocks.
  expect(await rig.endBlock(0n, absent)).toEqual([])
  expect(await rig.read('validatorOf', account(1))).toMatchObject({
    isJailed: true,
    isTombstoned: false,
    tokens: ALL - ALL / 10_000n,
  })
  expect(await rig.send(account(0), 'unjail', [])).toMatchObject({ error: 'NotJailed' })
  expect(await rig.send(account(1), 'unjail', [])).toMatchObject({ error: 'StillJailed' })
  rig.wait(60n)
  await rig.send(account(1), 'unjail', [])
  // Ten units less a ten-thousandth are nine.
  expect(powers(await rig.endBlock())).toEqual([[validatorKey(1), 9n]])
})

test('absences of different windows do not add up', async () => {
  const rig = createStakingRig(2, { ...PARAMETERS, signed_window: 3 })
  const absent = [consensusOf(validatorKey(1))]
  // Blocks 1 and 2 belong to the first window, 3 and 4 to the second.
  for (const each of [absent, absent, absent, absent, []])
    expect(await rig.endBlock(0n, each)).toEqual([])
})

test('a double sign costs bonded, unbonding and redelegated stake alike, and ends a validator', async () => {
  const rig = rigOf(3)
  const [mover, leaver, stayer] = [account(7), account(8), account(9)]
  for (const each of [mover, leaver, stayer])
    await rig.send(each, 'delegate', [account(1)], 10n * UNIT)
  await rig.endBlock()
  const infraction = rig.height()
  const evidence = doubleSign(rig, 1)
  await rig.send(mover, 'redelegate', [account(1), account(2), ALL])
  await rig.send(leaver, 'undelegate', [account(1), ALL])
  await rig.endBlock()
  expect(powers(await rig.endBlock(0n, [], [evidence]))).toEqual([[validatorKey(1), 0n]])
  const expected = (ALL * 95n) / 100n
  expect(await rig.read('validatorOf', account(1))).toMatchObject({
    isTombstoned: true,
    infractionHeight: BigInt(infraction),
    tokens: 2n * expected,
  })
  expect(await rig.send(account(1), 'unjail', [])).toMatchObject({ error: 'AlreadyTombstoned' })
  expect(await rig.send(stayer, 'delegate', [account(1)], 1n)).toMatchObject({
    error: 'AlreadyTombstoned',
  })
  // Anyone may enforce the penalty on the redelegated stake.
  await rig.send(stayer, 'enforce', [mover, account(2)])
  expect(await rig.read('delegationOf', mover, account(2))).toMatchObject({
    shares: expected,
    lockedShares: 0n,
  })
  expect(await rig.read('validatorOf', account(2))).toMatchObject({ tokens: ALL + expected })
  rig.wait(HOUR)
  await rig.send(leaver, 'withdrawUnbonded', [0n])
  expect(rig.balance(leaver)).toBe(RICH - ALL + expected)
  // A delegator that leaves after the penalty pays it once.
  await rig.send(stayer, 'undelegate', [account(1), ALL])
  rig.wait(HOUR)
  await rig.send(stayer, 'withdrawUnbonded', [0n])
  expect(rig.balance(stayer)).toBe(RICH - ALL + expected)
  // The slashed amount is income of the remaining stakers.
  await rig.endBlock()
  const lost = (4n * ALL * 5n) / 100n
  expect(await rig.read('totals')).toMatchObject({ rewards: lost })
})

test('stake that left before the double sign is not touched, nor is any by old evidence', async () => {
  const rig = rigOf()
  await rig.send(DELEGATOR, 'delegate', [account(1)], ALL)
  await rig.send(DELEGATOR, 'undelegate', [account(1), ALL])
  await rig.endBlock()
  await rig.endBlock()
  await rig.endBlock()
  expect(await rig.endBlock(0n, [], [doubleSign(rig, 1, 3, HOUR + 1n)])).toEqual([])
  expect(await rig.endBlock(0n, [], [doubleSign(rig, 1, 3, HOUR)])).toHaveLength(1)
  rig.wait(HOUR)
  await rig.send(DELEGATOR, 'withdrawUnbonded', [0n])
  expect(rig.balance(DELEGATOR)).toBe(RICH)
})

test('redelegated stake stays where it is until its time is over', async () => {
  const rig = rigOf(3)
  await rig.send(DELEGATOR, 'delegate', [account(0)], ALL)
  await rig.send(DELEGATOR, 'delegate', [account(1)], UNIT)
  await rig.send(DELEGATOR, 'redelegate', [account(0), account(1), 5n * UNIT])
  const again = () => rig.send(DELEGATOR, 'redelegate', [account(0), account(1), UNIT])
  expect(await again()).toMatchObject({ error: 'RedelegationPending' })
  const move = (shares: bigint) =>
    rig.send(DELEGATOR, 'redelegate', [account(1), account(2), shares])
  expect(await move(2n * UNIT)).toMatchObject({ error: 'NotEnoughShares' })
  expect(await move(UNIT)).toMatchObject({ error: undefined })
  expect(await rig.send(DELEGATOR, 'undelegate', [account(1), 1n])).toMatchObject({
    error: 'NotEnoughShares',
  })
  rig.wait(HOUR)
  expect(await again()).toMatchObject({ error: undefined })
})

test('nobody but the system ends a block, and nobody pays in without delegating', async () => {
  const rig = rigOf()
  expect(await rig.send(DELEGATOR, 'endBlock', [[], []])).toMatchObject({ error: 'NotSystem' })
  expect(await rig.send(DELEGATOR, 'delegate', [DELEGATOR], 1n)).toMatchObject({
    error: 'UnknownValidator',
  })
  expect(await rig.send(DELEGATOR, 'delegate', [account(0)], 0n)).toMatchObject({
    error: 'StakeTooSmall',
  })
})

test('the dearest election has gas to spare: a hundred validators leave, a hundred others come', async () => {
  const rig = createStakingRig(100, { max_validators: 100 }, 200)
  await rig.endBlock(10n ** 15n)
  let dearest = 0n
  for (let index = 100; index < 200; index++) {
    const stake = BigInt(index) * UNIT
    const args = [validatorKey(index), account(index), 500, 2_000, 100]
    rig.prove(account(index), validatorKey(index))
    const { error, gasUsed } = await rig.send(account(index), 'createValidator', args, stake)
    expect(error).toBeUndefined()
    if (gasUsed > dearest) dearest = gasUsed
  }
  expect(await rig.endBlockGas()).toBeLessThan(SYSTEM_CALL_GAS / 5n)
  expect(await rig.endBlock(10n ** 15n)).toHaveLength(200)
  // If all seats are taken, a newcomer searches for the weakest: the most expensive transaction.
  const args = [validatorKey(201), account(201), 500, 2_000, 100]
  rig.prove(account(201), validatorKey(201))
  rig.world.setAccount(fromHex(account(201)), { ...NOBODY, balance: RICH })
  const { error, gasUsed } = await rig.send(account(201), 'createValidator', args, 11n * UNIT)
  expect(error).toBeUndefined()
  expect(gasUsed).toBeLessThan(2_000_000n)
  expect(dearest).toBeLessThan(600_000n)
  expect(await rig.read('candidates')).toHaveLength(200)
})
