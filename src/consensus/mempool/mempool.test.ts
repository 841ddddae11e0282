import { expect, test } from 'vitest'
import {
  createPoolRig,
  GWEI,
  senderAddress,
  signedTransfer,
  type PoolRig,
} from '../../../test/support/poolRig.ts'
import { concatBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import type { Transaction } from '../../chain/transaction.ts'

const MAX_BYTES = 20_000_000
const COST = 21_000n * 2n * GWEI

async function addAll(rig: PoolRig, ...transactions: readonly Transaction[]): Promise<void> {
  for (const { raw } of transactions) await rig.pool.add(raw)
}

function nonces(content: ReturnType<PoolRig['pool']['pending']>, sender: number): number[] {
  const transactions = content.get(toHexDigits(senderAddress(sender))) ?? []
  return transactions.map(({ nonce }) => Number(nonce))
}

function listen(rig: PoolRig): Transaction[] {
  const heard: Transaction[] = []
  rig.pool.onPending((transaction) => heard.push(transaction), new AbortController().signal)
  return heard
}

test('a nonce gap waits in the queue and is promoted when it closes', async () => {
  const rig = createPoolRig()
  const heard = listen(rig)
  await addAll(rig, signedTransfer(0, 0), signedTransfer(0, 2), signedTransfer(0, 3))
  expect(nonces(rig.pool.pending(), 0)).toEqual([0])
  expect(nonces(rig.pool.queued(), 0)).toEqual([2, 3])
  expect(rig.pool.pendingNonce(senderAddress(0))).toBe(1n)
  await addAll(rig, signedTransfer(0, 1))
  expect(nonces(rig.pool.pending(), 0)).toEqual([0, 1, 2, 3])
  expect(rig.pool.counts()).toEqual({ pending: 4, queued: 0 })
  expect(heard.map(({ nonce }) => Number(nonce))).toEqual([0, 1, 2, 3])
})

test('listeners hear of a transaction once, even when it falls back and returns', async () => {
  const rig = createPoolRig()
  const heard = listen(rig)
  await addAll(rig, signedTransfer(0, 0), signedTransfer(0, 1))
  rig.set(0, { balance: COST })
  expect(nonces(rig.pool.queued(), 0)).toEqual([1])
  rig.set(0, { balance: 10n * COST })
  expect(nonces(rig.pool.pending(), 0)).toEqual([0, 1])
  expect(heard).toHaveLength(2)
})

test('a replacement must raise both fees by a tenth', async () => {
  const rig = createPoolRig()
  const heard = listen(rig)
  const fees = (maxFeePerGas: bigint, maxPriorityFeePerGas: bigint) =>
    signedTransfer(0, 0, { maxFeePerGas, maxPriorityFeePerGas })
  await addAll(rig, fees(100n * GWEI, 10n * GWEI))
  for (const cheap of [
    fees(110n * GWEI, 10n * GWEI),
    fees(109n * GWEI, 11n * GWEI),
    fees(110n * GWEI, 11n * GWEI - 1n),
  ])
    await expect(rig.pool.add(cheap.raw)).rejects.toThrow(/^replacement transaction underpriced$/)
  const better = fees(110n * GWEI, 11n * GWEI)
  await addAll(rig, better)
  expect(rig.pool.get(better.hash)?.maxFeePerGas).toBe(110n * GWEI)
  expect(rig.pool.counts()).toEqual({ pending: 1, queued: 0 })
  expect(heard.map(({ hash }) => toHexDigits(hash))[1]).toBe(toHexDigits(better.hash))
})

// Holds D12.
test("what is wrong with a transaction is said in go-ethereum's words", async () => {
  const rig = createPoolRig({ minGasPrice: GWEI })
  rig.set(0, { nonce: 5n, balance: 1000n * COST })
  rig.set(1, { balance: COST - 1n })
  rig.set(2, { balance: 2n * COST - 1n })
  rig.set(3, { codeHash: new Uint8Array(32).fill(1) })
  const known = signedTransfer(0, 5)
  await addAll(rig, known, signedTransfer(2, 0))
  const blob = concatBytes(Uint8Array.of(3), known.raw.subarray(1))
  const cases: readonly (readonly [Uint8Array, string])[] = [
    [known.raw, 'already known'],
    [signedTransfer(0, 4).raw, 'nonce too low: next nonce 5, tx nonce 4'],
    [
      signedTransfer(1, 0).raw,
      `insufficient funds for gas * price + value: balance ${COST - 1n}, tx cost ${COST}, overshot 1`,
    ],
    [
      signedTransfer(2, 1).raw,
      `insufficient funds for gas * price + value: balance ${2n * COST - 1n}, queued cost ${COST}, tx cost ${COST}, overshot 1`,
    ],
    [
      signedTransfer(1, 0, { value: 2n ** 256n - 1n }).raw,
      `insufficient funds for gas * price + value: balance ${COST - 1n}, tx cost ${COST + 2n ** 256n - 1n}, overshot ${2n ** 256n}`,
    ],
    [signedTransfer(3, 0).raw, 'sender not an eoa: '],
    [
      signedTransfer(0, 6, { gasLimit: 20_999n }).raw,
      'intrinsic gas too low: gas 20999, minimum needed 21000',
    ],
    [
      signedTransfer(0, 6, { data: new Uint8Array(100), gasLimit: 21_500n }).raw,
      'insufficient gas for floor data gas cost: gas 21500, minimum needed 22000',
    ],
    [
      signedTransfer(0, 6, { gasLimit: 16_777_217n }).raw,
      'transaction gas limit too high (cap: 16777216, tx: 16777217)',
    ],
    [
      signedTransfer(0, 6, { maxFeePerGas: GWEI - 1n, maxPriorityFeePerGas: 0n }).raw,
      'transaction underpriced: gas fee cap 999999999, minimum needed 1000000000',
    ],
    [
      signedTransfer(0, 6, { maxPriorityFeePerGas: 3n * GWEI }).raw,
      'max priority fee per gas higher than max fee per gas',
    ],
    [signedTransfer(0, 6, { type: 4 }).raw, 'set code tx must have at least one'],
    [signedTransfer(0, 6, { type: 0, chainId: undefined }).raw, 'only replay-protected (EIP-155)'],
    [
      signedTransfer(0, 6, { chainId: 1n }).raw,
      'invalid sender: invalid chain id for signer: have 1 want 271828',
    ],
    [blob, 'transaction type not supported'],
    [new Uint8Array(131_073), 'oversized data: transaction size 131073, limit 131072'],
    [Uint8Array.of(0xc1), 'rlp: '],
    [new Uint8Array(0), 'typed transaction too short'],
  ]
  for (const [raw, message] of cases) {
    const error: unknown = await rig.pool.add(raw).catch((reason: unknown) => reason)
    expect(String(error)).toMatch(/^PoolRejection: /)
    expect(String(error).slice(15, 15 + message.length)).toBe(message)
  }
  expect(rig.pool.counts()).toEqual({ pending: 2, queued: 0 })
})

test('a block takes the best tips first and keeps the nonces of a sender in order', async () => {
  const rig = createPoolRig()
  const tip = (gwei: bigint) => ({ maxFeePerGas: 50n * GWEI, maxPriorityFeePerGas: gwei * GWEI })
  const transactions = [
    signedTransfer(0, 0, tip(1n)),
    signedTransfer(0, 1, tip(9n)),
    signedTransfer(1, 0, tip(5n)),
    signedTransfer(1, 1, tip(2n)),
    signedTransfer(2, 0, tip(2n)),
    signedTransfer(3, 0, { maxFeePerGas: GWEI - 1n, maxPriorityFeePerGas: 0n }),
  ]
  await addAll(rig, ...transactions)
  const order = rig.pool
    .select(GWEI, MAX_BYTES)
    .map((raw) => transactions.findIndex((transaction) => transaction.raw === raw))
  expect(order).toEqual([2, 3, 4, 0, 1])
})

// Holds D81.
test('the minimum gas price is compared with what is paid, not with the fee cap', async () => {
  const rig = createPoolRig({ minGasPrice: 2n * GWEI })
  const fees = (cap: bigint, tip: bigint) => ({ maxFeePerGas: cap, maxPriorityFeePerGas: tip })
  rig.baseFee = GWEI / 10n
  await expect(rig.pool.add(signedTransfer(0, 0, fees(3n * GWEI, 1n)).raw)).rejects.toThrow(
    'transaction underpriced: effective gas price 100000001, minimum needed 2000000000 (base fee plus tip)',
  )
  const enough = signedTransfer(1, 0, fees(3n * GWEI, 2n * GWEI - GWEI / 10n))
  await addAll(rig, enough)
  // While the base fee is high, what it alone makes dear enough comes in.
  rig.baseFee = 2n * GWEI
  const cheapLater = signedTransfer(0, 0, fees(3n * GWEI, 1n))
  await addAll(rig, cheapLater)
  expect(new Set(rig.pool.select(2n * GWEI, MAX_BYTES))).toEqual(
    new Set([enough.raw, cheapLater.raw]),
  )
  expect(rig.pool.select(GWEI / 10n, MAX_BYTES)).toEqual([enough.raw])
  rig.pool.update({ touched: [], refused: [enough.hash] })
  expect(rig.pool.hasExecutable()).toBe(true)
  rig.baseFee = GWEI / 10n
  expect(rig.pool.hasExecutable()).toBe(false)
})

test('the costs of all pending transactions of a sender are reserved in its balance', async () => {
  const rig = createPoolRig()
  rig.set(0, { balance: 10n * COST })
  for (let nonce = 0; nonce < 10; nonce++) await addAll(rig, signedTransfer(0, nonce))
  await expect(rig.pool.add(signedTransfer(0, 10).raw)).rejects.toThrow(
    `queued cost ${10n * COST}, tx cost ${COST}, overshot ${COST}`,
  )
})

test('a block is never overfilled with gas or bytes', async () => {
  const rig = createPoolRig()
  const big = { gasLimit: 16_000_000n }
  await addAll(rig, signedTransfer(0, 0, big), signedTransfer(1, 0, big), signedTransfer(2, 0))
  expect(rig.pool.select(GWEI, MAX_BYTES)).toHaveLength(2)
  expect(rig.pool.select(GWEI, 250)).toHaveLength(2)
  expect(rig.pool.select(GWEI, 0)).toHaveLength(0)
})

test('only what can pay the base fee makes the pool executable', async () => {
  const rig = createPoolRig()
  await addAll(rig, signedTransfer(0, 0))
  rig.baseFee = 2n * GWEI + 1n
  expect(rig.pool.hasExecutable()).toBe(false)
  rig.baseFee = 2n * GWEI
  expect(rig.pool.hasExecutable()).toBe(true)
})

test('mined and refused transactions leave, and those behind them move', async () => {
  const rig = createPoolRig()
  const transactions = [0, 1, 2].map((nonce) => signedTransfer(0, nonce))
  await addAll(rig, ...transactions)
  rig.set(0, { nonce: 1n })
  expect(nonces(rig.pool.pending(), 0)).toEqual([1, 2])
  rig.pool.update({ touched: [], refused: [(transactions[1] as Transaction).hash] })
  expect(nonces(rig.pool.pending(), 0)).toEqual([])
  expect(nonces(rig.pool.queued(), 0)).toEqual([2])
})

test('a full pool makes room for better paying ones, from the queue first', async () => {
  const rig = createPoolRig({ size: 3, guaranteedPending: 1 })
  const at = (gwei: bigint) => ({ maxFeePerGas: gwei * GWEI, maxPriorityFeePerGas: gwei * GWEI })
  await addAll(rig, signedTransfer(0, 0, at(3n)), signedTransfer(0, 1, at(3n)))
  await addAll(rig, signedTransfer(1, 7, at(9n)))
  await addAll(rig, signedTransfer(2, 0, at(2n)))
  expect(rig.pool.queued().size).toBe(0)
  await expect(rig.pool.add(signedTransfer(3, 5, at(9n)).raw)).rejects.toThrow(
    'future transaction tries to replace pending transaction',
  )
  await expect(rig.pool.add(signedTransfer(3, 0, at(3n)).raw)).rejects.toThrow(
    'transaction underpriced',
  )
  await addAll(rig, signedTransfer(3, 0, at(4n)))
  expect(nonces(rig.pool.pending(), 0)).toEqual([0])
  await expect(rig.pool.add(signedTransfer(4, 0, at(90n)).raw)).rejects.toThrow('txpool is full')
})

test('a sender has a limit in all and one behind a gap', async () => {
  const rig = createPoolRig({ senderLimit: 3, queueLimit: 1 })
  await addAll(rig, signedTransfer(0, 0), signedTransfer(0, 5))
  await expect(rig.pool.add(signedTransfer(0, 6).raw)).rejects.toThrow('account limit exceeded')
  await addAll(rig, signedTransfer(0, 1))
  await expect(rig.pool.add(signedTransfer(0, 2).raw)).rejects.toThrow(
    'account limit exceeded: pooled 3 txs',
  )
})

test('a queue in which nothing moves is dropped after its lifetime', async () => {
  const rig = createPoolRig({ queueLifetime: 1000 })
  await addAll(rig, signedTransfer(0, 0), signedTransfer(0, 5))
  rig.now = 1000
  rig.pool.update({ touched: [], refused: [] })
  expect(rig.pool.counts()).toEqual({ pending: 1, queued: 0 })
})

test('a flushed pool is empty, and takes the same transactions again', async () => {
  const { pool } = createPoolRig()
  const transactions = [signedTransfer(0, 0), signedTransfer(0, 5), signedTransfer(1, 0)]
  for (const { raw } of transactions) await pool.add(raw)
  expect(pool.counts()).toEqual({ pending: 2, queued: 1 })
  pool.flush()
  expect(pool.counts()).toEqual({ pending: 0, queued: 0 })
  expect(pool.select(GWEI, 1_000_000)).toEqual([])
  for (const { raw } of transactions) await pool.add(raw)
  expect(pool.counts()).toEqual({ pending: 2, queued: 1 })
})
