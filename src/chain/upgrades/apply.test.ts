import { expect, test } from 'vitest'
import { account, createStakingRig, type StakingRig } from '../../../test/support/stakingRig.ts'
import { bigintToFixedBytes, utf8 } from '../../base/bytes.ts'
import { fromHex, toHex, toHexDigits, type Hex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { overlay } from '../../evm/overlay.ts'
import { EMPTY_CODE_HASH } from '../../evm/types.ts'
import { beginBlock } from '../beginBlock.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import { SYSTEM_ADDRESS } from '../staking/validatorSet.ts'
import { decidedHeights, KNOWN_RULES } from './decided.ts'
import { forkSchedule, hardforkAt } from './hardfork.ts'

const NOBODY: Hex = `0x${'00'.repeat(20)}`
const SOURCE: Hex = `0x${'5c'.repeat(20)}`
const TARGET = toHex(STAKING_ADDRESS)
/** Returns no words. */
const NEW_CODE = fromHex('0x5f5ff3')

/** Four validators of ten units each, and a contract whose code another account may get. */
function rigOf(chain: Parameters<typeof createStakingRig>[3] = {}): StakingRig {
  const rig = createStakingRig(4, { max_validators: 4 }, 10, chain)
  const codeHash = keccak256(NEW_CODE)
  rig.world.setAccount(fromHex(SOURCE), { nonce: 1n, balance: 0n, codeHash }, NEW_CODE)
  return rig
}

const approve = (rig: StakingRig, operator: number, args: readonly unknown[]) =>
  rig.send(account(operator), 'approveUpgrade', args)

/** Hash of the code at the target when the block of a height begins. */
function codeAtBeginning(rig: StakingRig, height: number): Uint8Array | undefined {
  const world = overlay(rig.world)
  beginBlock(world, rig.rules, { height: height - 1, hash: new Uint8Array(32).fill(1) })
  return world.account(STAKING_ADDRESS)?.codeHash
}

test('more than two thirds of the power give a contract other code, at the height and not before', async () => {
  const rig = rigOf()
  const before = rig.world.account(STAKING_ADDRESS)?.codeHash
  const upgrade = [9n, 0n, TARGET, SOURCE]
  await approve(rig, 0, upgrade)
  await approve(rig, 1, upgrade)
  // Once more does not count twice.
  await approve(rig, 1, upgrade)
  expect(codeAtBeginning(rig, 9)).toEqual(before)
  await approve(rig, 2, upgrade)
  expect(codeAtBeginning(rig, 8)).toEqual(before)
  expect(codeAtBeginning(rig, 9)).toEqual(keccak256(NEW_CODE))
  expect(codeAtBeginning(rig, 10)).toEqual(before)
  expect(await rig.read('upgradeAt', 9n)).toMatchObject({ codeHash: toHex(keccak256(NEW_CODE)) })
})

test('an upgrade keeps balance, nonce and storage of the contract', async () => {
  const rig = rigOf()
  for (const operator of [0, 1, 2]) await approve(rig, operator, [9n, 0n, TARGET, SOURCE])
  const before = rig.world.account(STAKING_ADDRESS)
  beginBlock(rig.world, rig.rules, { height: 8, hash: new Uint8Array(32).fill(1) })
  const codeHash = keccak256(NEW_CODE)
  expect(rig.world.account(STAKING_ADDRESS)).toEqual({ ...before, codeHash })
  expect(rig.world.code(codeHash)).toEqual(NEW_CODE)
  expect(rig.world.hasStorage(STAKING_ADDRESS)).toBe(true)
  // It has been applied: a chain that begins with this state must not apply it again.
  rig.world.setAccount(STAKING_ADDRESS, before)
  expect(codeAtBeginning(rig, 9)).toEqual(before?.codeHash)
})

test('where the source has other code by then, nobody needs to have the code that was decided', async () => {
  const rig = rigOf()
  const before = rig.world.account(STAKING_ADDRESS)?.codeHash
  for (const operator of [0, 1, 2]) await approve(rig, operator, [9n, 0n, TARGET, SOURCE])
  for (const operator of [0, 1, 2]) await approve(rig, operator, [7n, 0n, SOURCE, TARGET])
  beginBlock(rig.world, rig.rules, { height: 6, hash: new Uint8Array(32).fill(1) })
  expect(rig.world.account(fromHex(SOURCE))?.codeHash).toEqual(before)
  expect(codeAtBeginning(rig, 9)).toEqual(before)
})

test('what was decided can be decided again, and old approvals do not count then', async () => {
  const rig = rigOf()
  const [upgrade, nothing] = [
    [9n, 0n, TARGET, SOURCE],
    [9n, 0n, NOBODY, NOBODY],
  ]
  const before = rig.world.account(STAKING_ADDRESS)?.codeHash
  for (const operator of [0, 1, 2]) await approve(rig, operator, upgrade)
  for (const operator of [0, 1, 2]) await approve(rig, operator, nothing)
  expect(codeAtBeginning(rig, 9)).toEqual(before)
  await approve(rig, 3, upgrade)
  expect(codeAtBeginning(rig, 9)).toEqual(before)
})

test('a program stops before rules that it does not know, and at every later height', async () => {
  const rig = rigOf()
  for (const operator of [0, 1, 2])
    await approve(rig, operator, [9n, KNOWN_RULES + 1n, NOBODY, NOBODY])
  const begin = (height: number) =>
    beginBlock(overlay(rig.world), rig.rules, { height: height - 1, hash: new Uint8Array(32) })
  expect(() => begin(8)).not.toThrow()
  expect(() => begin(9)).toThrow('at block 9')
  for (const operator of [0, 1, 2]) await approve(rig, operator, [7n, KNOWN_RULES, NOBODY, NOBODY])
  expect(() => begin(7)).not.toThrow()
  // As found by a node that restored a later snapshot.
  const slot = toHexDigits(keccak256(utf8('assay.rules')))
  const value = bigintToFixedBytes(KNOWN_RULES + 1n, 32)
  const system = { nonce: 1n, balance: 0n, codeHash: EMPTY_CODE_HASH }
  const storage = new Map([[slot, value]])
  const effect = { address: SYSTEM_ADDRESS, account: system, storageCleared: false, storage }
  rig.world.apply(new Map([[toHexDigits(SYSTEM_ADDRESS), effect]]))
  expect(() => begin(20)).toThrow('at block 20')
})

const begin = (rig: StakingRig, height: number) =>
  beginBlock(rig.world, rig.rules, { height: height - 1, hash: new Uint8Array(32).fill(1) })
const RULES_OF = { cancun: 1n, prague: 2n, osaka: 3n }

// Holds D19.
test('the validators bring in a fork at a height, and the state knows from when on each holds', async () => {
  const rig = rigOf({ hardfork: 'cancun', upgrades: [{ height: 30, hardfork: 'osaka' }] })
  const forkAt = (height: number) => hardforkAt(rig.rules, rig.world, height)
  for (const operator of [0, 1, 2])
    await approve(rig, operator, [9n, RULES_OF.prague, NOBODY, NOBODY])
  expect([8, 9].map(forkAt)).toEqual(['cancun', 'prague'])
  const schedule = [
    { hardfork: 'cancun', height: 0 },
    { hardfork: 'prague', height: 9 },
    { hardfork: 'osaka', height: 30 },
  ]
  expect(forkSchedule(rig.rules, rig.world)).toEqual(schedule)
  begin(rig, 9)
  expect([9, 10, 29, 30, 31].map(forkAt)).toEqual(['prague', 'prague', 'prague', 'osaka', 'osaka'])
  expect(forkSchedule(rig.rules, rig.world)).toEqual(schedule)
  // Earlier than in genesis.
  for (const operator of [0, 1, 3])
    await approve(rig, operator, [20n, RULES_OF.osaka, NOBODY, NOBODY])
  expect([19, 20].map(forkAt)).toEqual(['prague', 'osaka'])
  begin(rig, 20)
  expect(forkSchedule(rig.rules, rig.world)).toEqual([
    ...schedule.slice(0, 2),
    { hardfork: 'osaka', height: 20 },
  ])
})

test('a fork that is older than the one in force changes nothing', async () => {
  const rig = rigOf({ hardfork: 'prague' })
  for (const rules of [RULES_OF.osaka, RULES_OF.cancun])
    for (const operator of [0, 1, 2])
      await approve(rig, operator, [8n + rules, rules, NOBODY, NOBODY])
  begin(rig, 9)
  expect(hardforkAt(rig.rules, rig.world, 9)).toBe('prague')
  begin(rig, 11)
  begin(rig, 12)
  expect(hardforkAt(rig.rules, rig.world, 12)).toBe('osaka')
  expect(forkSchedule(rig.rules, rig.world)).toEqual([
    { hardfork: 'prague', height: 0 },
    { hardfork: 'osaka', height: 11 },
  ])
})

test('a system contract begins at an address that had no account, by decision or by genesis', async () => {
  const [first, second]: readonly Hex[] = [`0x${'51'.repeat(20)}`, `0x${'52'.repeat(20)}`]
  const rig = rigOf({ upgrades: [{ height: 9, code: { [second ?? '0x']: toHex(NEW_CODE) } }] })
  for (const operator of [0, 1, 2]) await approve(rig, operator, [9n, 0n, first, SOURCE])
  begin(rig, 9)
  for (const address of [first, second]) {
    const codeHash = keccak256(NEW_CODE)
    expect(rig.world.account(fromHex(address ?? '0x'))).toEqual({
      nonce: 1n,
      balance: 0n,
      codeHash,
    })
  }
})

test('every height with a decision is listed once, however many there are', async () => {
  const rig = rigOf()
  const heights = [9, 700, 30, 8_000_000_000, 10, 11]
  for (const height of [...heights, 30])
    for (const operator of [0, 1, 2])
      await approve(rig, operator, [BigInt(height), 0n, TARGET, SOURCE])
  expect(decidedHeights(rig.world)).toEqual(heights)
  expect(await rig.read('decidedHeights')).toEqual(heights.map(BigInt))
})

test('only validators of the set decide, on heights to come, and on code that is there and stays', async () => {
  const rig = rigOf()
  expect(await approve(rig, 8, [9n, 0n, TARGET, SOURCE])).toMatchObject({ error: 'NotInSet' })
  expect(await approve(rig, 0, [1n, 0n, TARGET, SOURCE])).toMatchObject({ error: 'HeightPassed' })
  expect(await approve(rig, 0, [9n, 0n, TARGET, account(0)])).toMatchObject({ error: 'NoCode' })
  const delegated = fromHex(`0xef0100${'11'.repeat(20)}`)
  const codeHash = keccak256(delegated)
  rig.world.setAccount(fromHex(SOURCE), { nonce: 1n, balance: 0n, codeHash }, delegated)
  expect(await approve(rig, 0, [9n, 0n, TARGET, SOURCE])).toMatchObject({ error: 'NoCode' })
})
