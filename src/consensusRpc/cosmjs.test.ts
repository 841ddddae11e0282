import { Comet38Client, HttpClient, WebsocketClient } from '@cosmjs/tendermint-rpc'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKvstoreNode } from '../../test/support/kvstoreNode.ts'
import { sha256 } from '../base/sha256.ts'
import { startCometRpc } from './server.ts'

const node = createKvstoreNode()
const stop = new AbortController()
const tx = Buffer.from('cosmjs=yes')
let url = ''

beforeAll(async () => {
  await node.produceBlock()
  await node.world.engine.broadcast(tx)
  await node.produceBlock()
  await node.produceBlock()
  const rpc = await startCometRpc({
    address: { host: '127.0.0.1', port: 0 },
    world: node.world,
    log: pino({ level: 'silent' }),
    signal: stop.signal,
  })
  url = `http://127.0.0.1:${rpc.address.port}`
})
afterAll(async () => {
  stop.abort()
  await node.close()
})

const transports = [
  ['HTTP', () => new HttpClient(url)],
  ['WebSocket', () => new WebsocketClient(url.replace('http', 'ws'))],
] as const

test.each(transports)('Comet38Client reads the chain over %s', async (_name, transport) => {
  const client = Comet38Client.create(transport())
  const status = await client.status()
  expect(status.nodeInfo).toMatchObject({ network: 'dockerchain', version: '0.38.25' })
  expect(status.syncInfo).toMatchObject({ earliestBlockHeight: 1, catchingUp: false })
  expect(status.validatorInfo.votingPower).toBe(10n)

  const block = await client.block(2)
  expect(block.block.txs).toEqual([new Uint8Array(tx)])
  expect(block.block.lastCommit?.height).toBe(1)
  expect((await client.block(1)).block.lastCommit).toBeNull()
  expect((await client.blockchain(1, 3)).blockMetas.map(({ header }) => header.height)).toEqual([
    3, 2, 1,
  ])
  const commit = await client.commit(2)
  expect(commit.canonical).toBe(true)
  expect(commit.commit.blockId.hash).toEqual(block.blockId.hash)
  const validators = await client.validatorsAll(2)
  expect(validators.validators.map(({ address }) => address)).toEqual([
    commit.header.proposerAddress,
  ])
  const results = await client.blockResults(2)
  expect(results.results[0]?.events[0]?.type).toBe('app')

  const found = await client.tx({ hash: sha256(tx), prove: true })
  expect(found).toMatchObject({ height: 2, index: 0, result: { code: 0 } })
  expect(found.proof?.rootHash).toEqual(commit.header.dataHash)

  const query = "app.key = 'cosmjs'"
  const searched = await client.txSearch({ query, prove: true, order_by: 'desc' })
  expect(searched.totalCount).toBe(1)
  expect(searched.txs).toEqual([found])
  expect((await client.txSearchAll({ query: 'tx.height > 0', per_page: 1 })).txs[0]).toMatchObject({
    hash: found.hash,
  })
  const blocks = await client.blockSearch({ query: 'block.height <= 2', order_by: 'asc' })
  expect(blocks.blocks.map(({ block: each }) => each.header.height)).toEqual([1, 2])
  const all = await client.blockSearchAll({ query: 'block.height > 0', per_page: 2 })
  expect(all.blocks).toHaveLength(all.totalCount)
  expect((await client.validators({ height: 2, per_page: 1 })).total).toBe(1)

  expect((await client.genesis()).chainId).toBe('dockerchain')
  expect(await client.health()).toBeNull()
  expect((await client.abciInfo()).lastBlockHeight).toBeGreaterThanOrEqual(3)
  const answer = await client.abciQuery({ path: '/key', data: Buffer.from('cosmjs') })
  expect(Buffer.from(answer.value).toString()).toBe('yes')
  expect((await client.numUnconfirmedTxs()).total).toBe(0)
  client.disconnect()
})

test.each(transports)('Comet38Client broadcasts over %s', async (name, transport) => {
  const client = Comet38Client.create(transport())
  const sync = await client.broadcastTxSync({ tx: Buffer.from(`sync=${name}`) })
  expect(sync.code).toBe(0)
  const async = await client.broadcastTxAsync({ tx: Buffer.from(`async=${name}`) })
  expect(async.hash).toEqual(sha256(Buffer.from(`async=${name}`)))
  const pending = client.broadcastTxCommit({ tx: Buffer.from(`commit=${name}`) })
  await expect
    .poll(async () => {
      await node.produceBlock()
      return node.world.reader.findTransaction(sha256(Buffer.from(`commit=${name}`)))
    })
    .toBeDefined()
  const committed = await pending
  expect(committed.checkTx.code).toBe(0)
  expect(committed.txResult?.events.length).toBe(2)
  expect(committed.height).toBe(node.world.reader.height())
  client.disconnect()
})

test('Comet38Client subscribes to blocks, headers and transactions', async () => {
  const client = Comet38Client.create(new WebsocketClient(url.replace('http', 'ws')))
  const heights: number[] = []
  const headers: number[] = []
  const hashes: Uint8Array[] = []
  const subscriptions = [
    client.subscribeNewBlock().subscribe({ next: (event) => heights.push(event.header.height) }),
    client.subscribeNewBlockHeader().subscribe({ next: (event) => headers.push(event.height) }),
    client.subscribeTx("app.key='heard'").subscribe({ next: (event) => hashes.push(event.hash) }),
  ]
  const before = node.world.reader.height()
  await expect
    .poll(async () => {
      await node.produceBlock()
      return Math.min(heights.length, headers.length)
    })
    .toBeGreaterThan(0)
  await node.world.engine.broadcast(Buffer.from('heard=1'))
  await node.world.engine.broadcast(Buffer.from('unheard=1'))
  await node.produceBlock()
  await expect.poll(() => hashes.length).toBe(1)
  expect(hashes).toEqual([sha256(Buffer.from('heard=1'))])
  expect(headers[0]).toBeGreaterThan(before)
  for (const subscription of subscriptions) subscription.unsubscribe()
  client.disconnect()
})
