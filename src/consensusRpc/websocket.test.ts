import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import {
  openCometClient,
  type CometClient,
  type CometMessage,
} from '../../test/support/cometClient.ts'
import { createKvstoreNode } from '../../test/support/kvstoreNode.ts'
import { type CometRpc, startCometRpc } from './server.ts'
import type { CometLimits } from './transport/limits.ts'

const log = pino({ level: 'silent' })
const node = createKvstoreNode()
const stop = new AbortController()
let rpc: CometRpc

const start = (limits: Partial<CometLimits>, signal = stop.signal): Promise<CometRpc> =>
  startCometRpc({ address: { host: '127.0.0.1', port: 0 }, world: node.world, log, signal, limits })

beforeAll(async () => {
  await node.produceBlock()
  rpc = await start({ maxBodyBytes: 10_000 })
})
afterAll(async () => {
  stop.abort()
  await node.close()
})

const open = (server = rpc): Promise<CometClient> => openCometClient(server.address.port)

test('every endpoint also answers here, one request after another', async () => {
  const client = await open()
  for (const id of [1, 'two', 3]) client.send({ jsonrpc: '2.0', id, method: 'health' })
  expect([await client.next(), await client.next(), await client.next()]).toEqual(
    [1, 'two', 3].map((id) => ({ jsonrpc: '2.0', id, result: {} })),
  )
  client.socket.close()
})

test('a block is announced in the order of CometBFT, under the id of the subscription', async () => {
  const client = await open()
  for (const type of ['NewBlock', 'NewBlockHeader', 'NewBlockEvents', 'Tx']) {
    expect(await client.call('subscribe', { query: `tm.event='${type}'` }, type)).toEqual({
      jsonrpc: '2.0',
      id: type,
      result: {},
    })
  }
  await client.call('subscribe', ["tm.event = 'ValidatorSetUpdates'"], 'updates')
  await node.world.engine.broadcast(Buffer.from('ordered=yes'))
  await node.world.engine.broadcast(node.powerTransaction(12))
  await node.produceBlock()
  const ids: unknown[] = []
  const messages: CometMessage[] = []
  for (let i = 0; i < 6; i++) {
    const message = await client.next()
    ids.push(message.id)
    messages.push(message)
  }
  expect(ids).toEqual(['NewBlock', 'NewBlockHeader', 'NewBlockEvents', 'Tx', 'Tx', 'updates'])
  const [, , , first, second, updates] = messages
  expect(first?.result?.query).toBe("tm.event='Tx'")
  expect(first?.result?.data).toMatchObject({
    type: 'tendermint/event/Tx',
    value: { TxResult: { tx: Buffer.from('ordered=yes').toString('base64') } },
  })
  expect(first?.result?.data?.value['TxResult']).not.toHaveProperty('index')
  expect(second?.result?.data?.value['TxResult']).toHaveProperty('index', 1)
  expect(first?.result?.events).toMatchObject({
    'app.key': ['ordered', 'yes'],
    'app.noindex_key': ['index is working', 'index is working'],
    'tm.event': ['Tx'],
    'tx.hash': [expect.stringMatching(/^[0-9A-F]{64}$/)],
    'tx.height': [String(node.world.reader.height())],
  })
  expect(updates?.result).toEqual({
    query: "tm.event = 'ValidatorSetUpdates'",
    data: {
      type: 'tendermint/event/ValidatorSetUpdates',
      value: {
        validator_updates: [
          {
            address: expect.stringMatching(/^[0-9A-F]{40}$/),
            pub_key: { type: 'tendermint/PubKeyEd25519', value: expect.any(String) },
            voting_power: '12',
            proposer_priority: expect.stringMatching(/^-?\d+$/),
          },
        ],
      },
    },
    events: { 'tm.event': ['ValidatorSetUpdates'] },
  })
  client.socket.close()
})

// Holds D22.
test('a round is announced as a lone validator decides it, with the vote that the block was committed by', async () => {
  const client = await open()
  await client.call('subscribe', { query: "tm.event = 'NewRoundStep'" }, 'step')
  await client.call('subscribe', { query: "tm.event = 'CompleteProposal'" }, 'proposal')
  await client.call('subscribe', { query: "tm.event = 'Vote'" }, 'vote')
  await client.call('subscribe', { query: "tm.event = 'NewRound'" }, 'round')
  await node.produceBlock()
  const messages: CometMessage[] = []
  for (let i = 0; i < 8; i++) messages.push(await client.next())
  expect(messages.map(({ id, result }) => [id, result?.data?.value['step']])).toEqual([
    ['step', 'RoundStepPropose'],
    ['proposal', 'RoundStepPropose'],
    ['step', 'RoundStepPrevote'],
    ['step', 'RoundStepPrecommit'],
    ['vote', undefined],
    ['step', 'RoundStepCommit'],
    ['step', 'RoundStepNewHeight'],
    ['round', 'RoundStepNewRound'],
  ])
  const { reader } = node.world
  const height = reader.height()
  const signature = reader.commit(height)?.commit.signatures[0]?.signature ?? new Uint8Array(0)
  expect(messages[4]?.result?.data).toMatchObject({
    type: 'tendermint/event/Vote',
    value: {
      Vote: {
        type: 2,
        height: String(height),
        signature: Buffer.from(signature).toString('base64'),
      },
    },
  })
  expect(messages[7]?.result?.data?.value).toMatchObject({ height: String(height + 1), round: 0 })
  client.socket.close()
})

test('a block with more transactions than the buffer holds reaches its subscribers whole', async () => {
  const server = await start({ subscriptionBuffer: 100 })
  const client = await open(server)
  await client.call('subscribe', { query: "tm.event='Tx'" }, 'txs')
  for (let i = 0; i < 500; i++) await node.world.engine.broadcast(Buffer.from(`many${i}=${i}`))
  await node.produceBlock()
  for (let i = 0; i < 500; i++)
    expect((await client.next()).result?.events?.['app.key']).toEqual([`many${i}`, String(i)])
  await server.close()
})

test('only events that match the query come', async () => {
  const client = await open()
  const query = "tm.event='Tx' AND app.key='wanted'"
  await client.call('subscribe', { query }, 5)
  await node.world.engine.broadcast(Buffer.from('other=1'))
  await node.world.engine.broadcast(Buffer.from('wanted=1'))
  await node.produceBlock()
  const message = await client.next()
  expect(message.result?.events?.['app.key']).toEqual(['wanted', '1'])
  // If more had been sent, this reply would not be next.
  expect(await client.call('unsubscribe', { query }, 5)).toEqual({
    jsonrpc: '2.0',
    id: 5,
    result: {},
  })
  await node.produceBlock()
  expect(await client.call('health', {}, 6)).toMatchObject({ id: 6, result: {} })
  client.socket.close()
})

test('the same query in other words is already subscribed', async () => {
  const client = await open()
  await client.call('subscribe', { query: "tm.event='Tx'" })
  const again = await client.call('subscribe', { query: "  tm.event   =  'Tx' " })
  expect(again.error).toEqual({
    code: -32603,
    message: 'Internal error',
    data: 'already subscribed',
  })
  expect((await client.call('unsubscribe', { query: "tm.event = 'Tx'" })).result).toEqual({})
  expect((await client.call('unsubscribe', { query: "tm.event = 'Tx'" })).error?.data).toBe(
    'subscription not found',
  )
  expect((await client.call('unsubscribe_all', {})).error?.data).toBe('subscription not found')
  client.socket.close()
})

test('a sixth subscription and a query over 512 bytes are refused', async () => {
  const client = await open()
  for (let i = 0; i < 5; i++) {
    expect((await client.call('subscribe', { query: `app.n = ${i}` })).result).toEqual({})
  }
  expect((await client.call('subscribe', { query: 'app.n = 5' })).error?.data).toBe(
    'max_subscriptions_per_client 5 reached',
  )
  expect((await client.call('unsubscribe_all', {})).result).toEqual({})
  const long = await client.call('subscribe', { query: `app.n = '${'x'.repeat(503)}'` })
  expect(long.error?.data).toBe('maximum query length exceeded')
  const longest = await client.call('subscribe', { query: `app.n = '${'x'.repeat(502)}'` })
  expect(longest.result).toEqual({})
  client.socket.close()
})

test('subscribers beyond the limit are refused until one goes', async () => {
  const server = await start({ maxSubscriptionClients: 1 })
  const [first, second] = [await open(server), await open(server)]
  await first.call('subscribe', { query: 'a EXISTS' })
  expect((await second.call('subscribe', { query: 'a EXISTS' })).error?.data).toBe(
    'max_subscription_clients 1 reached',
  )
  first.socket.close()
  await expect
    .poll(async () => (await second.call('subscribe', { query: 'a EXISTS' })).result)
    .toEqual({})
  await server.close()
})

test.each([
  ['{', -32700, undefined],
  ['[{"id":1,"method":"health"}]', -32700, undefined],
  ['{"id":[],"method":"health"}', -32700, undefined],
  ['{"id":1,"method":"nothing"}', -32601, 1],
  ['{"id":1,"method":"block","params":{"height":5}}', -32603, 1],
  ['{"id":1,"method":"block"}', -32603, -1],
  ['{"id":1,"method":"subscribe","params":{"query":5}}', -32603, 1],
  ['{"id":1,"method":"subscribe","params":{"query":"malformed query"}}', -32603, 1],
  [`{"id":1,"method":"subscribe","params":${'['.repeat(40)}${']'.repeat(40)}}`, -32603, 1],
  [`{"id":1,"method":"subscribe","params":${'['.repeat(70)}${']'.repeat(70)}}`, -32700, undefined],
])('the message %s is refused and the connection lives', async (message, code, id) => {
  const client = await open()
  client.send(message)
  const reply = await client.next()
  expect(reply.error?.code).toBe(code)
  expect(reply.id).toBe(id)
  expect(await client.call('health', {})).toMatchObject({ result: {} })
  client.socket.close()
})

test('a message over the limit closes the connection', async () => {
  const client = await open()
  client.send('x'.repeat(20_000))
  const [code] = (await once(client.socket, 'close')) as [number]
  expect(code).toBe(1009)
})

test('broadcast_tx_commit answers with the result once a block holds the transaction', async () => {
  const client = await open()
  client.send({
    id: 1,
    method: 'broadcast_tx_commit',
    params: { tx: Buffer.from('committed=1').toString('base64') },
  })
  await expect
    .poll(async () => {
      await node.produceBlock()
      return node.world.reader.block(node.world.reader.height())?.block.txs.length ?? 0
    })
    .toBeGreaterThan(0)
  expect(await client.next()).toMatchObject({
    result: {
      check_tx: { code: 0, gas_wanted: '1' },
      tx_result: { code: 0, data: null, log: '', gas_used: '0' },
      hash: expect.stringMatching(/^[0-9A-F]{64}$/),
      height: String(node.world.reader.height()),
    },
  })
  client.socket.close()
})

test('broadcast_tx_commit gives up after its time and frees its subscription', async () => {
  const server = await start({ commitTimeoutMs: 200 })
  const client = await open(server)
  const params = (tx: string) => ({ tx: Buffer.from(tx).toString('base64') })
  const late = await client.call('broadcast_tx_commit', params('late=1'))
  expect(late.error?.data).toBe('timed out waiting for tx to be included in a block')
  const twice = await client.call('broadcast_tx_commit', params('late=1'))
  expect(twice.error?.data).toBe('error on broadcastTxCommit: tx already exists in cache')
  const refused = await client.call('broadcast_tx_commit', params('not a pair'))
  expect(refused.result).toMatchObject({
    check_tx: { code: 2, codespace: '', log: '' },
    tx_result: { code: 0, events: [] },
    height: '0',
  })
  expect((await client.call('unsubscribe_all', {})).error?.data).toBe('subscription not found')
  await server.close()
})

test('a subscription whose reader is too slow is cancelled, and the rest goes on', async () => {
  const server = await start({ subscriptionBuffer: 3, writeTimeoutMs: 60_000 })
  const client = await open(server)
  await client.call('subscribe', { query: "tm.event='NewBlock'" }, 'slow')
  const raw = (client.socket as unknown as { readonly _socket: Socket })._socket
  raw.pause()
  // More than the operating system buffers on both sides.
  const value = 'v'.repeat(1_000_000)
  for (let i = 0; i < 24; i++) {
    await node.world.engine.broadcast(Buffer.from(`k${i}=${value}`))
    await node.produceBlock()
  }
  raw.resume()
  let last = await client.next()
  while (last.error === undefined) last = await client.next()
  expect(last).toEqual({
    jsonrpc: '2.0',
    id: 'slow',
    error: {
      code: -32000,
      message: 'Server error',
      data: 'subscription was canceled (reason: internal subscription event buffer is out of capacity)',
    },
  })
  expect((await client.call('unsubscribe_all', {})).error?.data).toBe('subscription not found')
  await server.close()
})

test('a reader that takes nothing at all is disconnected', async () => {
  const server = await start({ writeTimeoutMs: 100, maxSubscriptionClients: 1 })
  const client = await open(server)
  const raw = (client.socket as unknown as { readonly _socket: Socket })._socket
  await client.call('subscribe', { query: "tm.event='NewBlock'" }, 'stuck')
  raw.pause()
  const value = 'v'.repeat(1_000_000)
  for (let i = 0; i < 24; i++) {
    await node.world.engine.broadcast(Buffer.from(`s${i}=${value}`))
    await node.produceBlock()
  }
  const closed = once(client.socket, 'close')
  // Its slot is free once the server has given it up; the paused client itself cannot notice.
  const other = await open(server)
  await expect
    .poll(async () => (await other.call('subscribe', { query: 'a EXISTS' })).result)
    .toEqual({})
  raw.resume()
  const [code] = (await closed) as [number]
  expect(code).toBe(1006)
  await server.close()
})

test('a silent connection is closed, one that answers pings is not', async () => {
  const server = await start({ pingIntervalMs: 100, silenceMs: 1500 })
  const alive = await open(server)
  const silent = connect(server.address.port, '127.0.0.1')
  silent.write(
    'GET /websocket HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n',
  )
  silent.resume()
  await once(silent, 'close')
  expect(await alive.call('health', {})).toMatchObject({ result: {} })
  await server.close()
})

test('only /websocket is upgraded, and not for foreign pages', async () => {
  const statusOf = async (path: string, origin?: string): Promise<number | string> => {
    const url = `ws://127.0.0.1:${rpc.address.port}${path}`
    const socket = new WebSocket(url, origin === undefined ? {} : { origin })
    return new Promise((resolve) => {
      socket.once('open', () => {
        socket.close()
        resolve('open')
      })
      socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    })
  }
  expect(await statusOf('/websocket')).toBe('open')
  expect(await statusOf('/websocket', `http://127.0.0.1:${rpc.address.port}`)).toBe('open')
  expect(await statusOf('/other')).toBe(404)
  expect(await statusOf('/websocket', 'https://evil.example')).toBe(403)
})

test('when the server stops, subscribers are told and connections close', async () => {
  const ending = new AbortController()
  const server = await start({}, ending.signal)
  const client = await open(server)
  await client.call('subscribe', { query: 'a EXISTS' }, 9)
  ending.abort()
  expect(await client.next()).toMatchObject({
    id: 9,
    error: { code: -32000, data: 'subscription was canceled (reason: CometBFT exited)' },
  })
  const [code] = (await once(client.socket, 'close')) as [number]
  expect(code).toBe(1001)
  await server.close()
})
