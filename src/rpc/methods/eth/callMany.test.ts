import { expect, test } from 'vitest'
import { ALICE, BOB, CONTRACT, createTestNode } from '../../../../test/support/rpcNode.ts'
import { createTracedNode, REVERTER } from '../../../../test/support/tracedNode.ts'
import { fromHex, toHex, toHexDigits } from '../../../base/hex.ts'

/** Adds 1 to slot 0; returns slot 0, number and time of the block. */
const COUNTER = fromHex('0x5f5460010180 5f555f52 43602052 42604052 60605ff3'.replaceAll(' ', ''))

const words = (value: string): readonly bigint[] =>
  [0, 64, 128].map((at) => BigInt(`0x${value.slice(at, at + 64)}`))

function counterNode() {
  return createTestNode({ genesis: { [toHexDigits(CONTRACT)]: { nonce: 1n, code: COUNTER } } })
}

test('calls see what the calls before left, and bundles are a block apart', async () => {
  const node = counterNode()
  const call = { to: toHex(CONTRACT) }
  const bundles = [{ transactions: [call, call] }, { transactions: [call] }]
  const [first, second] = (await node.request('eth_callMany', bundles, {
    blockNumber: 'latest',
  })) as { value: string }[][]
  const time = 1_700_000_000n
  expect(first?.map(({ value }) => words(value))).toEqual([
    [1n, 0n, time],
    [2n, 0n, time],
  ])
  expect(second?.map(({ value }) => words(value))).toEqual([[3n, 1n, time + 1n]])
  expect(await node.request('eth_getStorageAt', toHex(CONTRACT), '0x0')).toMatch(/^0x0+$/)
})

test('overrides of the block and of the state are what calls see', async () => {
  const node = counterNode()
  const bundle = {
    transactions: [{ to: toHex(BOB) }],
    blockOverride: { blockNumber: '0x64', timestamp: '0x65' },
  }
  const [[ran] = []] = (await node.request(
    'eth_callMany',
    [bundle],
    { blockNumber: 'latest' },
    {
      [toHex(BOB)]: {
        code: toHex(COUNTER),
        state: { [`0x${'00'.repeat(32)}`]: `0x${'00'.repeat(31)}07` },
      },
    },
  )) as { value: string }[][]
  expect(words(ran?.value ?? '')).toEqual([8n, 100n, 101n])
})

test('a revert comes with its data, and the state before a transaction can be called', async () => {
  const node = createTracedNode()
  const call = { from: toHex(ALICE), to: toHex(REVERTER) }
  const ask = (transactionIndex: number) =>
    node.request('eth_callMany', [{ transactions: [call] }], {
      blockNumber: '0x1',
      transactionIndex,
    })
  const reverted = [
    [
      {
        error: {
          message: 'execution reverted: no',
          data: expect.stringMatching(/^0x08c379a0/) as string,
        },
      },
    ],
  ]
  expect(await ask(-1)).toEqual(reverted)
  expect(await ask(1)).toEqual(reverted)
  await expect(ask(9)).rejects.toThrow('transaction index 9 out of range: the block has 3')
})

test('no calls, and overridden hashes of blocks, are refused', async () => {
  const node = counterNode()
  const context = { blockNumber: 'latest' }
  await expect(node.request('eth_callMany', [], context)).rejects.toThrow('empty bundles')
  const blockOverride = { blockHash: { '1': `0x${'11'.repeat(32)}` } }
  await expect(
    node.request('eth_callMany', [{ transactions: [], blockOverride }], context),
  ).rejects.toMatchObject({ code: -32602 })
})
