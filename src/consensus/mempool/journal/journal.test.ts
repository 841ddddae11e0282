import { expect, test } from 'vitest'
import { createMemoryJournal, type MemoryJournal } from '../../../../test/support/memoryJournal.ts'
import {
  createPoolRig,
  GWEI,
  senderAddress,
  signedTransfer,
} from '../../../../test/support/poolRig.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'
import type { Transaction } from '../../../chain/transaction.ts'
import type { PoolLimits } from '../limits.ts'
import { decodeJournal } from './format.ts'
import { createPoolJournal } from './journal.ts'

type Options = { readonly limits?: Partial<PoolLimits>; readonly limit?: number }

/** A pool with its journal on a disk, started with what the disk holds. */
async function open(disk: MemoryJournal, { limits = {}, limit = 64 * 1024 * 1024 }: Options = {}) {
  let now = 0
  let marker = disk.counts.files
  const faults: unknown[] = []
  const full: string[] = []
  const journal = createPoolJournal({
    storage: disk,
    limit,
    now: () => now,
    random: (size) => new Uint8Array(size).fill(++marker),
    onFull: (reason) => full.push(reason),
    fatal(error) {
      faults.push(error)
      throw error
    },
  })
  const rig = createPoolRig(limits, journal)
  const bytes = await disk.read()
  const found = bytes === undefined ? [] : decodeJournal(bytes).transactions
  const restored = await rig.pool.restore(found)
  await journal.start()
  return {
    ...rig,
    rig,
    journal,
    faults,
    full,
    restored,
    wait: (ms: number) => (now += ms),
    /** As a client sends it: resolves with the acknowledgement. */
    async send(transaction: Transaction) {
      const { hash } = await rig.pool.add(transaction.raw)
      await rig.pool.kept(hash)
    },
  }
}

/** The same after a loss of power. */
const reopen = (disk: MemoryJournal, options?: Options) =>
  open(createMemoryJournal(disk.durable()), options)

const hashes = (transactions: readonly Transaction[]): string[] =>
  transactions.map(({ hash }) => toHex(hash)).toSorted()

const fee = (gwei: bigint) => ({ maxFeePerGas: gwei * GWEI, maxPriorityFeePerGas: gwei * GWEI })

// Holds D64.
test('what was acknowledged is pooled again after a loss of power, pending and queued', async () => {
  const disk = createMemoryJournal()
  const { send } = await open(disk)
  const sent = [signedTransfer(0, 0), signedTransfer(0, 1), signedTransfer(1, 5)]
  for (const each of sent) await send(each)
  const { pool, restored } = await reopen(disk)
  expect(hashes(restored)).toEqual(hashes(sent))
  expect(pool.counts()).toEqual({ pending: 2, queued: 1 })
  const again = await reopen(disk)
  expect(hashes(again.restored)).toEqual(hashes(sent))
})

test('those that come while a group is synced share the next sync', async () => {
  const disk = createMemoryJournal()
  const { send } = await open(disk)
  const before = disk.counts.syncs
  let release = (): void => undefined
  disk.gate = new Promise((resolve) => (release = resolve))
  const first = send(signedTransfer(0, 0))
  // The group is under way once its turn of the event loop is over.
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  const others = Array.from({ length: 20 }, (_, i) => send(signedTransfer(1, i)))
  let isEarly = true
  void Promise.all(others).then(() => (isEarly = false))
  await new Promise((resolve) => setImmediate(resolve))
  expect(isEarly).toBe(true)
  release()
  await Promise.all([first, ...others])
  expect(disk.counts.syncs - before).toBe(2)
})

test('what was replaced, evicted, dropped, mined or flushed does not come back', async () => {
  const disk = createMemoryJournal()
  const node = await open(disk, { limits: { size: 4 } })
  const { rig, pool, send } = node
  const [replaced, replacing] = [signedTransfer(0, 0, fee(2n)), signedTransfer(0, 0, fee(4n))]
  await send(replaced)
  await send(replacing)
  const dropped = signedTransfer(1, 0)
  await send(dropped)
  pool.update({ touched: [], refused: [dropped.hash] })
  const mined = signedTransfer(2, 0)
  await send(mined)
  rig.set(2, { nonce: 1n })
  const evicted = signedTransfer(3, 7, fee(2n))
  await send(evicted)
  const kept = [4, 5, 6].map((sender) => signedTransfer(sender, 0, fee(9n)))
  for (const each of kept) await send(each)
  expect(pool.get(evicted.hash)).toBeUndefined()
  await pool.settled()

  // The state of the second rig is that of the beginning: every nonce is possible again.
  const { restored } = await reopen(disk, { limits: { size: 20 } })
  expect(hashes(restored)).toEqual(hashes([replacing, ...kept]))
  pool.flush()
  await pool.settled()
  await send(signedTransfer(8, 0))
  const after = await reopen(disk)
  expect(hashes(after.restored)).toEqual(hashes([signedTransfer(8, 0)]))
})

test('of two with one nonce the later one comes back, even where the removal was lost', async () => {
  const disk = createMemoryJournal()
  const { pool, send } = await open(disk)
  const first = signedTransfer(0, 0, fee(8n))
  await send(first)
  pool.update({ touched: [], refused: [first.hash] })
  // Cheaper than the one before, which no replacement could be.
  const second = signedTransfer(0, 0, fee(3n))
  await send(second)
  const { restored } = await reopen(disk)
  expect(hashes(restored)).toEqual(hashes([second]))
})

test('what other nodes sent is not kept', async () => {
  const disk = createMemoryJournal()
  const { pool, send } = await open(disk)
  const learnt = await pool.learn(signedTransfer(0, 0).raw)
  expect(pool.kept(learnt.hash)).toBeUndefined()
  await send(signedTransfer(1, 0))
  const { restored } = await reopen(disk)
  expect(hashes(restored)).toEqual(hashes([signedTransfer(1, 0)]))
})

test('a queue longer than its limit, closed by a low nonce that came last, comes back whole', async () => {
  const disk = createMemoryJournal()
  const { send } = await open(disk, { limits: { queueLimit: 3 } })
  const low = Array.from({ length: 9 }, (_, nonce) => signedTransfer(0, nonce))
  for (const each of low) await send(each)
  await send(signedTransfer(0, 0, fee(9n)))
  const { pool } = await reopen(disk, { limits: { queueLimit: 3 } })
  expect(pool.counts()).toEqual({ pending: 9, queued: 0 })
})

test('what no longer fits the state is left out at a start', async () => {
  const disk = createMemoryJournal()
  const { send } = await open(disk)
  for (const nonce of [0, 1, 2]) await send(signedTransfer(0, nonce))
  await send(signedTransfer(1, 0))
  const rig = createPoolRig()
  rig.set(0, { nonce: 2n })
  rig.set(1, { balance: 1n })
  const found = decodeJournal(disk.durable() ?? Buffer.alloc(0)).transactions
  const restored = await rig.pool.restore(found)
  expect(restored.map(({ nonce }) => nonce)).toEqual([2n])
})

test('a full disk refuses sends in plain words, drops them, and takes them again once there is space', async () => {
  const disk = createMemoryJournal()
  const { pool, send, full, wait } = await open(disk)
  await send(signedTransfer(0, 0))
  disk.failure = 'ENOSPC'
  const refused = signedTransfer(0, 1)
  const words = /was not accepted: the disk of the pool's journal is full/
  await expect(send(refused)).rejects.toThrow(words)
  expect(pool.get(refused.hash)).toBeUndefined()
  expect(full).toHaveLength(1)
  // It is asked again after a while, and nothing is pooled meanwhile.
  await expect(pool.add(signedTransfer(0, 1).raw)).rejects.toThrow(words)
  const afterCrash = await open(createMemoryJournal(await disk.read()))
  expect(hashes(afterCrash.restored)).toEqual(hashes([signedTransfer(0, 0)]))
  disk.failure = undefined
  wait(2000)
  await send(signedTransfer(0, 1))
  const { restored } = await reopen(disk)
  expect(hashes(restored)).toEqual(hashes([signedTransfer(0, 0), signedTransfer(0, 1)]))
})

test('a disk that is full at the start keeps the old journal, and nothing of the pool is dropped', async () => {
  const before = createMemoryJournal()
  const { send } = await open(before)
  await send(signedTransfer(0, 3))
  const disk = createMemoryJournal(before.durable())
  disk.failure = 'EDQUOT'
  const node = await open(disk)
  expect(node.pool.counts()).toEqual({ pending: 0, queued: 1 })
  expect(disk.durable()?.equals(before.durable() ?? Buffer.alloc(0))).toBe(true)
  disk.failure = undefined
  node.wait(2000)
  await node.send(signedTransfer(1, 0))
  const { pool } = await reopen(disk)
  expect(pool.counts()).toEqual({ pending: 1, queued: 1 })
})

test('a sync that fails ends the process, without a retry and without an answer', async () => {
  const disk = createMemoryJournal()
  const { send, faults } = await open(disk)
  disk.isBroken = true
  const syncs = disk.counts.syncs
  void send(signedTransfer(0, 0)).catch(() => undefined)
  await expect.poll(() => faults.length).toBe(1)
  expect(String(faults[0])).toContain('EIO')
  expect(disk.counts.syncs).toBe(syncs)
})

test(
  'under a flood of replacements the file stays within its limit',
  { timeout: 120_000 },
  async () => {
    const limit = 4 * 1024 * 1024
    const disk = createMemoryJournal()
    const { pool, rig, send, journal } = await open(disk, { limit })
    rig.set(0, { balance: 10n ** 24n })
    const data = new Uint8Array(100_000)
    let last: Transaction | undefined
    for (let round = 0; round < 100; round++) {
      last = signedTransfer(0, 0, {
        ...fee(2n * 2n ** BigInt(round % 8)),
        gasLimit: 9_000_000n,
        data,
      })
      if (round % 8 === 0) pool.flush()
      await send(last)
      expect(journal.size()).toBeLessThanOrEqual(limit)
    }
    expect(disk.counts.files).toBeGreaterThan(2)
    // Zeros ahead of the records are part of the file.
    expect(disk.maxSize).toBeLessThanOrEqual(limit + 1024 * 1024)
    const { restored } = await reopen(disk, { limit })
    expect(hashes(restored)).toEqual(hashes(last === undefined ? [] : [last]))
  },
)

test('transactions beyond half of the limit are refused, and a block makes room', async () => {
  const { pool, rig, send } = await open(createMemoryJournal(), { limit: 1024 * 1024 })
  const large = (sender: number, nonce: number) =>
    signedTransfer(sender, nonce, { gasLimit: 9_000_000n, data: new Uint8Array(120_000) })
  for (let nonce = 0; nonce < 4; nonce++) await send(large(0, nonce))
  const refusal = pool.add(large(1, 0).raw)
  await expect(refusal).rejects.toThrow("the pool's journal is full (mempool.journal-limit)")
  rig.set(0, { nonce: 2n })
  await send(large(1, 0))
  expect(pool.pending().get(toHexDigits(senderAddress(1)))).toHaveLength(1)
})

test('one that is mined before anyone waits for it is never written', async () => {
  const disk = createMemoryJournal()
  const { pool, rig } = await open(disk)
  const { syncs } = disk.counts
  const { hash } = await pool.add(signedTransfer(0, 0).raw)
  rig.set(0, { nonce: 1n })
  expect(pool.kept(hash)).toBeUndefined()
  await pool.settled()
  pool.flush()
  await pool.settled()
  expect(disk.counts.syncs).toBe(syncs)
})
