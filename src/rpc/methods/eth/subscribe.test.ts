import { expect, test } from 'vitest'
import {
  CONTRACT,
  createTestNode,
  OTHER_TOPIC,
  TOPIC,
  transactionByAlice,
  type TestNode,
} from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'
import { onNewBlock } from '../../../events/liveBlocks.ts'
import { compileArguments } from '../../../wire/arguments.ts'
import type { BlockProfile, Caller } from '../../../wire/method.ts'
import { headerShape } from '../../encode/block.ts'
import { logShape } from '../../encode/log.ts'
import type { SyncProgress } from '../../world.ts'
import { eth_subscribe } from './subscribe.ts'
import { eth_unsubscribe } from './unsubscribe.ts'

type Heard = { readonly id: string; readonly result: unknown }

function connect(node: TestNode, profile: BlockProfile = 'spec') {
  const heard: Heard[] = []
  const caller: Caller = {
    transport: 'websocket',
    authorized: false,
    principal: undefined,
    client: 'test',
    profile,
    connection: {
      signal: new AbortController().signal,
      subscriptions: new Map(),
      notify(id, result) {
        heard.push({ id, result: JSON.parse(JSON.stringify(result)) })
        return true
      },
    },
  }
  const readSubscribe = compileArguments(eth_subscribe.params)
  return {
    heard,
    caller,
    subscribe: (...params: unknown[]) =>
      eth_subscribe.call(node, readSubscribe(params), caller) as string,
    unsubscribe: (id: string) => eth_unsubscribe.call(node, { id }, caller),
  }
}

/** Announces the latest block and waits until all subscribers have been notified. */
async function announce(node: TestNode): Promise<void> {
  const heard = new AbortController()
  // The last listener is called last, so by then all subscribers have been.
  await new Promise<void>((resolve) => {
    onNewBlock(node, () => resolve(), heard.signal)
    node.bus.emit('block', { height: node.chain.latestHeight() })
  })
  heard.abort()
}

const log = { address: CONTRACT, topics: [TOPIC], data: Uint8Array.of(1) }

test('newHeads sends each header in the profile of the connection, under an id of 32 hex digits', async () => {
  const node = createTestNode()
  const plain = connect(node)
  const ethereum = connect(node, 'ethereum')
  const id = plain.subscribe('newHeads')
  expect(id).toMatch(/^0x[0-9a-f]{32}$/)
  ethereum.subscribe('newHeads', null)
  const header = node.chain.append()
  await announce(node)
  expect(plain.heard).toHaveLength(1)
  expect(plain.heard[0]).toMatchObject({
    id,
    result: { number: '0x1', hash: toHex(header.hash), difficulty: null },
  })
  expect(ethereum.heard[0]).toMatchObject({ result: { difficulty: '0x0' } })
  expect(headerShape.safeParse(plain.heard[0]?.result).error).toBeUndefined()
})

test('newHeads holds whole transactions when they are asked for', async () => {
  const node = createTestNode()
  const client = connect(node)
  client.subscribe('newHeads', { includeTransactions: true })
  const transaction = transactionByAlice()
  node.chain.append([{ transaction }])
  await announce(node)
  expect(client.heard[0]?.result).toMatchObject({
    transactions: [{ hash: toHex(transaction.hash), transactionIndex: '0x0' }],
  })
})

test('logs are filtered by address and topics', async () => {
  const node = createTestNode()
  const client = connect(node)
  const all = client.subscribe('logs')
  const some = client.subscribe('logs', { address: toHex(CONTRACT), topics: [toHex(OTHER_TOPIC)] })
  node.chain.append([
    { transaction: transactionByAlice(), logs: [log, { ...log, topics: [OTHER_TOPIC] }] },
  ])
  await announce(node)
  expect(client.heard.map(({ id }) => id)).toEqual([all, all, some])
  expect(client.heard[2]?.result).toMatchObject({ logIndex: '0x1', topics: [toHex(OTHER_TOPIC)] })
  expect(logShape.safeParse(client.heard[0]?.result).error).toBeUndefined()
})

test('pending transactions come as hashes, or whole when asked for', async () => {
  const node = createTestNode()
  const client = connect(node)
  const hashes = client.subscribe('newPendingTransactions')
  const objects = client.subscribe('newPendingTransactions', true)
  const transaction = transactionByAlice()
  await node.pool.add(transaction.raw)
  expect(client.heard).toEqual([
    { id: hashes, result: toHex(transaction.hash) },
    {
      id: objects,
      result: expect.objectContaining({ hash: toHex(transaction.hash), blockHash: null }),
    },
  ])
})

test('an ended subscription is silent, and can be ended only once', async () => {
  const node = createTestNode()
  const client = connect(node)
  const id = client.subscribe('newHeads')
  expect(client.unsubscribe(id)).toBe(true)
  expect(client.unsubscribe(id)).toBe(false)
  node.chain.append()
  await announce(node)
  expect(client.heard).toEqual([])
  expect(node.bus.listenerCount('block')).toBe(0)
})

test.each([
  ['an unknown name', ['newBlocks'], -32601, 'no "newBlocks" subscription in eth namespace'],
  ['a name of every object', ['constructor'], -32601, 'no "constructor" subscription'],
  ['wrong options', ['newHeads', { includeTransactions: 'yes' }], -32602, 'invalid argument 1'],
  [
    'a wrong filter',
    ['logs', { address: '0x1' }],
    -32602,
    'invalid argument 1: invalid address: hex string',
  ],
])('%s is refused', (_, params, code, message) => {
  const client = connect(createTestNode())
  expect(() => client.subscribe(...params)).toThrow(
    expect.objectContaining({ code, message: expect.stringContaining(message) }),
  )
})

test('a connection holds so many subscriptions, and no more', () => {
  const client = connect(createTestNode({ limits: { subscriptions: 3 } }))
  const [first = ''] = [1, 2, 3].map(() => client.subscribe('syncing'))
  expect(() => client.subscribe('syncing')).toThrow('at most 3 per connection')
  client.unsubscribe(first)
  client.subscribe('syncing')
})

test('there is nothing to subscribe to over HTTP', () => {
  const caller: Caller = {
    transport: 'http',
    authorized: false,
    principal: undefined,
    client: 'test',
    profile: 'spec',
    connection: undefined,
  }
  expect(() => eth_subscribe.call(createTestNode(), { name: 'newHeads' }, caller)).toThrow(
    expect.objectContaining({ code: -32601, message: 'notifications not supported' }),
  )
})

test('transactionReceipts sends the receipts of each block that has some, or only those asked for', async () => {
  const node = createTestNode()
  const all = connect(node)
  const some = connect(node)
  const [first, second] = [transactionByAlice(), transactionByAlice({ nonce: 1n })]
  all.subscribe('transactionReceipts')
  some.subscribe('transactionReceipts', { transactionHashes: [toHex(second.hash)] })
  node.chain.append([{ transaction: first }])
  await announce(node)
  node.chain.append()
  await announce(node)
  node.chain.append([{ transaction: second }])
  await announce(node)
  expect(all.heard).toHaveLength(2)
  expect(some.heard).toMatchObject([
    { result: [{ transactionHash: toHex(second.hash), status: '0x1' }] },
  ])
})

test('syncing tells where the node stands, and each time that it falls behind or catches up', async () => {
  let progress: SyncProgress | undefined
  const node = { ...createTestNode(), syncing: () => progress }
  const client = connect(node)
  client.subscribe('syncing')
  node.chain.append()
  await announce(node)
  progress = { startingBlock: 1, currentBlock: 2, highestBlock: 300 }
  node.chain.append()
  await announce(node)
  progress = undefined
  node.chain.append()
  await announce(node)
  expect(client.heard).toMatchObject([
    { result: false },
    {
      result: {
        syncing: true,
        status: { startingBlock: '0x1', currentBlock: '0x2', highestBlock: '0x12c' },
      },
    },
    { result: false },
  ])
})
