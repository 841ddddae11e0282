import { expect, test } from 'vitest'
import {
  createPoolRig,
  GWEI,
  senderAddress,
  signedTransfer,
  type PoolRig,
} from '../../../test/support/poolRig.ts'

const selected = ({ pool }: PoolRig) => pool.select(GWEI, 1_000_000)
const fees = (gwei: bigint) => ({
  maxFeePerGas: gwei * GWEI,
  maxPriorityFeePerGas: gwei * GWEI,
})
const COST = 21_000n * 2n * GWEI

test('a dry run says what adding would say, and changes nothing', async () => {
  const rig = createPoolRig({ size: 2, guaranteedPending: 0 })
  const { pool } = rig
  expect((await pool.check(signedTransfer(0, 0).raw)).nonce).toBe(0n)
  expect(pool.counts()).toEqual({ pending: 0, queued: 0 })
  const pooled = signedTransfer(0, 0)
  await pool.add(pooled.raw)
  await pool.add(signedTransfer(1, 0).raw)
  // It would replace one, and make another one leave a full pool.
  await pool.check(signedTransfer(0, 0, fees(3n)).raw)
  await pool.check(signedTransfer(2, 0, fees(3n)).raw)
  await expect(pool.check(signedTransfer(0, 0, { value: 1n }).raw)).rejects.toThrow(
    'replacement transaction underpriced',
  )
  await expect(pool.check(signedTransfer(2, 0, fees(1n)).raw)).rejects.toThrow('underpriced')
  await expect(pool.check(pooled.raw)).rejects.toThrow('already known')
  expect(pool.get(pooled.hash)).toBeDefined()
  expect(pool.counts()).toEqual({ pending: 2, queued: 0 })
})

// Holds D21a.
test('what is held back is pooled, but no block has it until it is added', async () => {
  const rig = createPoolRig()
  const [first, second] = [signedTransfer(0, 0), signedTransfer(0, 1)]
  await rig.pool.hold(first.raw)
  expect(rig.pool.isHeld(first.hash)).toBe(true)
  expect(rig.pool.pendingNonce(senderAddress(0))).toBe(1n)
  expect(rig.pool.hasExecutable()).toBe(false)
  await rig.pool.add(second.raw)
  expect(selected(rig)).toEqual([])
  await expect(rig.pool.hold(first.raw)).rejects.toThrow('already known')
  expect((await rig.pool.add(first.raw)).hash).toEqual(first.hash)
  expect(selected(rig)).toEqual([first.raw, second.raw])
  expect(rig.pool.hasExecutable()).toBe(true)
  await expect(rig.pool.add(first.raw)).rejects.toThrow('already known')
})

test('what is held back displaces nothing', async () => {
  const rig = createPoolRig({ size: 2, guaranteedPending: 0 })
  const [pooled, other] = [signedTransfer(0, 0), signedTransfer(1, 0)]
  await rig.pool.add(pooled.raw)
  await rig.pool.add(other.raw)
  const [replacement, better] = [signedTransfer(0, 0, fees(9n)), signedTransfer(2, 0, fees(9n))]
  await rig.pool.hold(replacement.raw)
  await rig.pool.hold(better.raw)
  expect(new Set(selected(rig))).toEqual(new Set([pooled.raw, other.raw]))
  await rig.pool.add(replacement.raw)
  await rig.pool.add(better.raw)
  expect(new Set(selected(rig))).toEqual(new Set([replacement.raw, better.raw]))
})

test('what is held back gives way to everything else of its sender', async () => {
  const rig = createPoolRig({ senderLimit: 2 })
  rig.set(0, { balance: 2n * COST })
  // One with the same nonce that pays more, and one that the balance would be gone for.
  const dear = signedTransfer(0, 0, { ...fees(4n), gasLimit: 21_000n })
  await rig.pool.hold(dear.raw)
  const [cheap, next] = [signedTransfer(0, 0), signedTransfer(0, 1)]
  await rig.pool.add(cheap.raw)
  await rig.pool.add(next.raw)
  expect(selected(rig)).toEqual([cheap.raw, next.raw])
  expect(rig.pool.get(dear.hash)).toBeUndefined()
})

test('what is held back leaves a full pool first, and by itself after some blocks', async () => {
  const rig = createPoolRig({ size: 2, guaranteedPending: 0, heldLifetime: 3 })
  const block = () => rig.pool.update({ touched: [], refused: [] })
  const held = signedTransfer(0, 0, fees(9n))
  await rig.pool.hold(held.raw)
  await rig.pool.add(signedTransfer(1, 0).raw)
  await rig.pool.add(signedTransfer(2, 0, fees(1n)).raw)
  expect(rig.pool.get(held.hash)).toBeUndefined()
  rig.pool.flush()
  const [dropped, claimed] = [signedTransfer(3, 0), signedTransfer(4, 0)]
  await rig.pool.hold(dropped.raw)
  await rig.pool.hold(claimed.raw)
  await rig.pool.add(claimed.raw)
  for (let height = 0; height < 2; height++) block()
  expect(rig.pool.get(dropped.hash)).toBeDefined()
  block()
  expect(rig.pool.get(dropped.hash)).toBeUndefined()
  expect(rig.pool.get(claimed.hash)).toBeDefined()
})
