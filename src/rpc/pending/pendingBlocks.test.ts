import { expect, test } from 'vitest'
import { bigintToFixedBytes } from '../../base/bytes.ts'
import { fromHex, toHex, toHexDigits } from '../../base/hex.ts'
import {
  ALICE,
  BOB,
  CONTRACT,
  createTestNode,
  transactionByAlice,
  type TestNode,
} from '../../../test/support/rpcNode.ts'

const ETHER = 10n ** 18n
/** Stores its call data's first word in slot 0 and logs nothing: PUSH0 CALLDATALOAD PUSH0 SSTORE. */
const STORES = Uint8Array.of(0x5f, 0x35, 0x5f, 0x55)
/** Returns number, time and base fee of its block, and slot 0. */
const TELLS = fromHex('0x435f52426020524860405260605ff3')
const TELLER = new Uint8Array(20).fill(0x7e)

function nodeWithPool(): TestNode {
  return createTestNode({
    genesis: {
      [toHexDigits(ALICE)]: { balance: 100n * ETHER },
      [toHexDigits(CONTRACT)]: { nonce: 1n, code: STORES },
      [toHexDigits(TELLER)]: { nonce: 1n, code: TELLS },
    },
  })
}

const send = (node: TestNode, fields: Parameters<typeof transactionByAlice>[0]) =>
  node.pool.add(transactionByAlice(fields).raw)

// Holds D61.
test('the pending block is what the pool makes of the latest one, without hash, nonce and miner', async () => {
  const node = nodeWithPool()
  await send(node, { value: 5n })
  await send(node, { nonce: 1n, to: CONTRACT, data: bigintToFixedBytes(7n, 32) })
  const block = await node.request('eth_getBlockByNumber', 'pending', true)
  expect(block).toMatchObject({
    number: '0x1',
    hash: null,
    nonce: null,
    miner: null,
    parentHash: toHex(node.chain.header(0)?.hash ?? new Uint8Array(0)),
    gasUsed: expect.stringMatching(/^0x[1-9a-f]/) as string,
    transactions: [
      { nonce: '0x0', blockNumber: '0x1', transactionIndex: '0x0' },
      { nonce: '0x1', blockNumber: '0x1', transactionIndex: '0x1' },
    ],
  })
  expect(await node.request('eth_getBlockTransactionCountByNumber', 'pending')).toBe('0x2')
  expect(
    await node.request('eth_getTransactionByBlockNumberAndIndex', 'pending', '0x1'),
  ).toMatchObject({ to: toHex(CONTRACT) })
  expect(await node.request('eth_getBlockReceipts', 'pending')).toMatchObject([
    { status: '0x1', gasUsed: '0x5208' },
    { status: '0x1', blockNumber: '0x1' },
  ])
  expect(await node.request('eth_getUncleCountByBlockNumber', 'pending')).toBe('0x0')
  expect(await node.request('eth_blockNumber')).toBe('0x0')
})

// Holds D61.
test('balances, code, storage, calls and estimates see what the pool changes', async () => {
  const node = nodeWithPool()
  await send(node, { value: 5n })
  await send(node, { nonce: 1n, to: CONTRACT, data: bigintToFixedBytes(7n, 32) })
  const slot = [toHex(CONTRACT), '0x0'] as const
  expect(await node.request('eth_getBalance', toHex(BOB), 'latest')).toBe('0x0')
  expect(await node.request('eth_getBalance', toHex(BOB), 'pending')).toBe('0x5')
  expect(await node.request('eth_getStorageAt', ...slot, 'latest')).toBe(toHex(new Uint8Array(32)))
  const seven = toHex(bigintToFixedBytes(7n, 32))
  expect(await node.request('eth_getStorageAt', ...slot, 'pending')).toBe(seven)
  expect(
    await node.request(
      'eth_getStorageValues',
      { [toHex(CONTRACT)]: [toHex(new Uint8Array(32))] },
      'pending',
    ),
  ).toEqual({ [toHex(CONTRACT)]: [seven] })
  expect(await node.request('eth_getCode', toHex(CONTRACT), 'pending')).toBe(toHex(STORES))
  const call = { from: toHex(BOB), to: toHex(ALICE), value: '0x5' }
  await expect(node.request('eth_estimateGas', call, 'latest')).rejects.toMatchObject({
    code: -32000,
  })
  expect(await node.request('eth_estimateGas', call, 'pending')).toBe('0x5208')
  expect(await node.request('eth_call', call, 'pending')).toBe('0x')
  expect(await node.request('eth_call', call, 'pending', {}, { number: '0x9' })).toBe('0x')
  expect(await node.request('eth_createAccessList', call, 'pending')).toMatchObject({
    accessList: [],
  })
})

// Holds D61.
test('a call on the pending block runs in it: its number, its time', async () => {
  const node = createTestNode({
    genesis: { [toHexDigits(TELLER)]: { nonce: 1n, code: TELLS } },
    nowNs: () => 1_700_000_042_500_000_000n,
  })
  const words = async (block: string) => {
    const output = (await node.request('eth_call', { to: toHex(TELLER) }, block)) as string
    return [0, 1].map((index) => BigInt(`0x${output.slice(2 + 64 * index, 66 + 64 * index)}`))
  }
  expect(await words('latest')).toEqual([0n, 1_700_000_000n])
  expect(await words('pending')).toEqual([1n, 1_700_000_042n])
  const simulated = await node.request(
    'eth_simulateV1',
    { blockStateCalls: [{ calls: [{ to: toHex(TELLER) }] }] },
    'pending',
  )
  expect(simulated).toMatchObject([{ number: '0x2' }])
})

// Holds D61.
test('logs, headers, proofs and traces of pending answer what go-ethereum answers', async () => {
  const node = nodeWithPool()
  await send(node, { value: 5n })
  const noLogs = { code: -32602, message: 'pending logs are not supported' }
  await expect(node.request('eth_getLogs', { fromBlock: 'pending' })).rejects.toMatchObject(noLogs)
  await expect(node.request('eth_newFilter', { toBlock: 'pending' })).rejects.toMatchObject(noLogs)
  const noTrace = { code: -32000, message: 'tracing on top of pending is not supported' }
  const call = { to: toHex(BOB) }
  await expect(node.request('debug_traceCall', call, 'pending', {})).rejects.toMatchObject(noTrace)
  await expect(node.request('trace_call', call, ['trace'], 'pending')).rejects.toMatchObject(
    noTrace,
  )
  expect(await node.request('eth_getHeaderByNumber', 'pending')).toBeNull()
  const noState = { code: -32000, message: 'pending state is not available' }
  await expect(node.request('eth_getProof', toHex(BOB), [], 'pending')).rejects.toMatchObject(
    noState,
  )
  expect(await node.request('debug_getRawReceipts', 'pending')).toEqual([])
  await expect(node.request('debug_getRawHeader', 'pending')).rejects.toMatchObject({
    code: -32000,
  })
  const traces = await node.request('debug_traceBlockByNumber', 'pending', { tracer: 'callTracer' })
  expect(traces).toMatchObject([{ result: { to: toHex(BOB), value: '0x5' } }])
  expect(await node.request('trace_block', 'pending')).toMatchObject([
    { blockNumber: 1, action: { to: toHex(BOB) } },
  ])
  expect(await node.request('eth_feeHistory', '0x1', 'pending', [50])).toMatchObject({
    oldestBlock: '0x1',
    reward: [[expect.stringMatching(/^0x[1-9a-f]/) as string]],
  })
})

// Holds D61.
test('a transaction that a proposal leaves out is not in the pending block', async () => {
  const node = nodeWithPool()
  await send(node, { value: 5n })
  await send(node, { nonce: 9n, value: 6n })
  const block = (await node.request('eth_getBlockByNumber', 'pending', false)) as {
    transactions: string[]
  }
  expect(block.transactions).toEqual([toHex(transactionByAlice({ value: 5n }).hash)])
})

// Holds D61.
test('one build serves everybody who asks, until pool or head change', async () => {
  const node = nodeWithPool()
  let builds = 0
  const run = node.executions.run
  Object.assign(node.executions, {
    run(execution: { kind: string }) {
      if (execution.kind === 'draft') builds++
      return run(execution as never)
    },
  })
  const ask = () => node.request('eth_getBlockTransactionCountByNumber', 'pending')
  expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array(20).fill('0x0'))
  expect(await ask()).toBe('0x0')
  expect(builds).toBe(1)
  await send(node, { value: 5n })
  expect(await Promise.all(Array.from({ length: 20 }, ask))).toEqual(Array(20).fill('0x1'))
  expect(builds).toBe(2)
  node.chain.append()
  expect(await node.request('eth_getBlockByNumber', 'pending', false)).toMatchObject({
    number: '0x2',
  })
  expect(builds).toBe(3)
})

// Holds D61.
test('a chain that goes back while a block is built gets one on what is left of it', async () => {
  const node = nodeWithPool()
  node.chain.append()
  const { run } = node.executions
  const { header } = node.chain
  let builds = 0
  Object.assign(node.executions, {
    async run(execution: { kind: string }) {
      const done: unknown = await run(execution as never)
      if (execution.kind === 'draft' && ++builds === 1)
        Object.assign(node.chain, {
          latestHeight: () => 0,
          header: (height: number) => (height > 0 ? undefined : header(height)),
        })
      return done
    },
  })
  expect(await node.request('eth_getBlockByNumber', 'pending', false)).toMatchObject({
    number: '0x1',
  })
  expect(builds).toBe(2)
})
