import { expect, test } from 'vitest'
import { account, createStakingRig, type StakingRig } from '../../../test/support/stakingRig.ts'
import { bigintToFixedBytes, utf8 } from '../../base/bytes.ts'
import { fromHex, toHex, toHexDigits, type Hex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { overlay } from '../../evm/overlay.ts'
import { EMPTY_CODE_HASH } from '../../evm/types.ts'
import { beginBlock } from '../beginBlock.ts'
import { STAKING_ADDRESS } from '../predeploys.ts'
import { KNOWN_RULES } from './upgrades.ts'
import { SYSTEM_ADDRESS } from './validatorSet.ts'

const NOBODY: Hex = `0x${'00'.repeat(20)}`
const SOURCE: Hex = `0x${'5c'.repeat(20)}`
const TARGET = toHex(STAKING_ADDRESS)
/** Answers no words. */
const NEW_CODE = fromHex('0x5f5ff3')

/** Four validators of ten units each, and a contract whose code another one may get. */
function rigOf(): StakingRig {
  const rig = createStakingRig(4, { max_validators: 4 })
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
  // It was done: a chain that begins with this state must not do it again.
  rig.world.setAccount(STAKING_ADDRESS, before)
  expect(codeAtBeginning(rig, 9)).toEqual(before?.codeHash)
})

test('what was decided can be decided anew, and old approvals do not count then', async () => {
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
  expect(() => begin(9)).toThrow('holds from block 9 on')
  for (const operator of [0, 1, 2]) await approve(rig, operator, [7n, KNOWN_RULES, NOBODY, NOBODY])
  expect(() => begin(7)).not.toThrow()
  // As a node finds it that comes by a snapshot from later.
  const slot = toHexDigits(keccak256(utf8('assay.rules')))
  const value = bigintToFixedBytes(KNOWN_RULES + 1n, 32)
  const system = { nonce: 1n, balance: 0n, codeHash: EMPTY_CODE_HASH }
  const storage = new Map([[slot, value]])
  const effect = { address: SYSTEM_ADDRESS, account: system, storageCleared: false, storage }
  rig.world.apply(new Map([[toHexDigits(SYSTEM_ADDRESS), effect]]))
  expect(() => begin(20)).toThrow('holds from block 20 on')
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
