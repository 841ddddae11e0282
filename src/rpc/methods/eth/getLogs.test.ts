import { expect, test } from 'vitest'
import {
  BOB,
  CONTRACT,
  createTestNode,
  OTHER_TOPIC,
  TOPIC,
  withThreeBlocks,
} from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

const all = { fromBlock: 'earliest', toBlock: 'latest' }

async function placesOf(filter: object): Promise<readonly string[]> {
  const logs = await withThreeBlocks(createTestNode()).request('eth_getLogs', filter)
  return (logs as { blockNumber: string; logIndex: string }[]).map(
    ({ blockNumber, logIndex }) => `${blockNumber}/${logIndex}`,
  )
}

test('the default range is the latest block', async () => {
  expect(await placesOf({})).toEqual(['0x3/0x0'])
})

test('logs come in order, with their places in the block', async () => {
  expect(await placesOf(all)).toEqual(['0x1/0x0', '0x1/0x1', '0x3/0x0'])
})

test.each([
  [{ address: toHex(CONTRACT) }, 3],
  [{ address: [toHex(BOB), toHex(CONTRACT)] }, 3],
  [{ address: toHex(BOB) }, 0],
  [{ address: null, topics: null }, 3],
  [{ address: [], topics: [] }, 3],
  [{ topics: [toHex(TOPIC)] }, 2],
  [{ topics: [null, toHex(TOPIC)] }, 1],
  [{ topics: [[toHex(TOPIC), toHex(OTHER_TOPIC)]] }, 3],
  [{ topics: [[], toHex(TOPIC)] }, 1],
  [{ topics: [[null, toHex(OTHER_TOPIC)]] }, 3],
  [{ topics: [null, null] }, 1],
])('%j matches %i logs', async (criteria, count) => {
  expect(await placesOf({ ...all, ...criteria })).toHaveLength(count)
})

test.each(['blockHash', 'blockhash'])('%s restricts to one block', async (key) => {
  const { hash } = withThreeBlocks(createTestNode()).chain.header(1) ?? {}
  expect(await placesOf({ [key]: toHex(hash ?? new Uint8Array()) })).toEqual(['0x1/0x0', '0x1/0x1'])
})

const hash = `0x${'11'.repeat(32)}`

test.each([
  [
    'a range from beyond the latest block up to it',
    { fromBlock: '0x4' },
    'invalid block range params',
  ],
  ['a range backwards', { fromBlock: '0x3', toBlock: '0x1' }, 'invalid block range params'],
  [
    'a range into the future',
    { fromBlock: '0x1', toBlock: '0x9' },
    'block range extends beyond current head block',
  ],
  [
    'a block hash beside a range',
    { blockHash: hash, fromBlock: '0x1' },
    'invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other',
  ],
  [
    'a fifth topic position',
    { topics: [null, null, null, null, null] },
    'invalid argument 0: exceed max topics',
  ],
  [
    'more than 1000 alternatives of a topic',
    { topics: [Array.from({ length: 1001 }, () => hash)] },
    'invalid argument 0: exceed max topics',
  ],
  [
    'more than 1000 addresses',
    { address: Array.from({ length: 1001 }, () => toHex(BOB)) },
    'invalid argument 0: exceed max addresses',
  ],
  [
    'a short topic',
    { topics: ['0x11'] },
    'invalid argument 0: hex has invalid length 1 after decoding; expected 32 for topic',
  ],
])('%s is refused', async (_case, filter, message) => {
  await expect(placesOf(filter)).rejects.toMatchObject({ code: -32602, message })
})

test('an unknown block hash is an error', async () => {
  await expect(placesOf({ blockHash: hash })).rejects.toMatchObject({
    code: -32000,
    message: 'unknown block',
  })
})

// Holds D49.
test('more logs than the cap are refused, and so is a range over its cap', async () => {
  const capped = withThreeBlocks(createTestNode({ limits: { logs: 2 } }))
  await expect(capped.request('eth_getLogs', all)).rejects.toMatchObject({
    code: -32005,
    message: 'query returned more than 2 results',
  })
  const narrow = withThreeBlocks(createTestNode({ limits: { logRange: 2 } }))
  await expect(narrow.request('eth_getLogs', all)).rejects.toMatchObject({ code: -32005 })
})

test('a query that takes too long is ended', async () => {
  const hurried = withThreeBlocks(createTestNode({ limits: { logTimeMs: -1 } }))
  await expect(hurried.request('eth_getLogs', all)).rejects.toMatchObject({ code: -32002 })
})
