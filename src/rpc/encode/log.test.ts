import { expect, test } from 'vitest'
import { createMemoryChain } from '../../../test/support/memoryChain.ts'
import { CONTRACT, OTHER_TOPIC, TOPIC, transactionByAlice } from '../../../test/support/rpcNode.ts'
import { createJsonBytes } from '../../base/jsonBytes.ts'
import { toHex } from '../../base/hex.ts'
import { rawJson } from '../../wire/rawJson.ts'
import { encodeEachLog, encodeLogs, logShape, writeLogs } from './log.ts'

const chain = createMemoryChain()
const log = { address: CONTRACT, topics: [TOPIC], data: Uint8Array.of(7) }
const first = transactionByAlice()
const second = transactionByAlice({ nonce: 1n })
const header = chain.append([
  { transaction: first, logs: [log] },
  {
    transaction: second,
    logs: [
      { address: CONTRACT, topics: [], data: new Uint8Array(0) },
      { address: CONTRACT, topics: [TOPIC, OTHER_TOPIC], data: new Uint8Array(300).fill(0xab) },
    ],
  },
])
const queried = [...chain.logs(1, 1, { addresses: [], topics: [] })]

test('logs say what was stored, and where', async () => {
  const shared = {
    address: toHex(CONTRACT),
    blockNumber: '0x1',
    blockHash: toHex(header.hash),
    blockTimestamp: '0x6553f101',
    removed: false,
  }
  const ofSecond = { ...shared, transactionHash: toHex(second.hash), transactionIndex: '0x1' }
  const logs = logShape.array().parse((await encodeLogs(queried)).toJSON())
  expect(logs).toEqual([
    {
      ...shared,
      topics: [toHex(TOPIC)],
      data: '0x07',
      transactionHash: toHex(first.hash),
      transactionIndex: '0x0',
      logIndex: '0x0',
    },
    { ...ofSecond, topics: [], data: '0x', logIndex: '0x1' },
    {
      ...ofSecond,
      topics: [toHex(TOPIC), toHex(OTHER_TOPIC)],
      data: `0x${'ab'.repeat(300)}`,
      logIndex: '0x2',
    },
  ])
})

test('logs of a receipt, of a query and of a notification are the same objects', async () => {
  const all = (await encodeLogs(queried)).toJSON() as unknown[]
  const json = createJsonBytes()
  const { logs } = chain.receipt(1, 1) ?? {}
  if (logs === undefined) throw new Error('the block has two receipts')
  writeLogs(json, header, logs)
  expect(rawJson(json.pieces()).toJSON()).toEqual(all.slice(1))
  expect(queried.flatMap(encodeEachLog).map((each) => each.toJSON())).toEqual(all)
})

test('no logs are an empty list', async () => {
  expect((await encodeLogs([])).toJSON()).toEqual([])
})
