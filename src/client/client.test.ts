import { WebSocket, WebSocketServer } from 'ws'
import type { AddressInfo } from 'node:net'
import http from 'node:http'
import { once } from 'node:events'
import { afterEach, expect, expectTypeOf, test } from 'vitest'
import { createTestNode } from '../../test/support/rpcNode.ts'
import { createDispatch } from '../wire/dispatch.ts'
import { createLog } from '../base/log.ts'
import type { Caller } from '../wire/method.ts'
import { METHODS } from '../rpc/table.ts'
import { createClient } from './client.ts'
import { http as httpTransport } from './http.ts'
import { METHOD_NAMES, type Hex } from './methods.ts'
import { RequestError } from './request.ts'
import { webSocket } from './webSocket.ts'

const ALICE = '0x00000000000000000000000000000000000a11ce'

const CALLER: Caller = {
  transport: 'http',
  authorized: true,
  principal: undefined,
  client: 'test',
  profile: 'ethereum',
  connection: undefined,
}
const dispatch = createDispatch({
  table: METHODS,
  world: createTestNode({ genesis: { [ALICE.slice(2)]: { balance: 5n } } }),
  batchLimit: 10,
  batchResponseLimit: 1_000_000,
  log: createLog('test', 'silent'),
})

const closers: (() => void)[] = []
afterEach(() => closers.splice(0).forEach((close) => close()))

async function answer(body: string): Promise<string> {
  const { text } = await dispatch(body, CALLER)
  if (typeof text !== 'string') throw new TypeError('expected a short answer')
  return text
}

async function serve(): Promise<{ url: string; ws: string; sockets: Set<WebSocket> }> {
  const server = http.createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      void answer(Buffer.concat(parts).toString()).then((text) => response.end(text))
    })
  })
  const sockets = new Set<WebSocket>()
  const upgrade = new WebSocketServer({ server })
  upgrade.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('message', (data: Buffer) => {
      const { id, method } = JSON.parse(data.toString()) as { id: number; method: string }
      if (method === 'eth_subscribe') {
        socket.send(JSON.stringify({ id, result: '0x1' }))
        const params = { subscription: '0x1', result: { number: '0x7' } }
        socket.send(JSON.stringify({ method: 'eth_subscription', params }))
      } else void answer(data.toString()).then((text) => socket.send(text))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => {
    for (const socket of sockets) socket.terminate()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, ws: `ws://127.0.0.1:${port}`, sockets }
}

test('there is a function for every method of the table', () => {
  expect([...METHOD_NAMES]).toEqual(Object.keys(METHODS))
  expect(Object.keys(createClient('http://127.0.0.1:1'))).toEqual(Object.keys(METHODS))
})

test('parameters and answers have the types that the table gives them', () => {
  const client = createClient('http://127.0.0.1:1')
  expectTypeOf(client.eth_blockNumber).returns.resolves.toEqualTypeOf<Hex>()
  expectTypeOf(client.eth_getBalance).parameter(0).toEqualTypeOf<Hex>()
  expectTypeOf(client.net_listening).returns.resolves.toEqualTypeOf<boolean>()
  expectTypeOf(client.eth_getTransactionReceipt).parameters.toEqualTypeOf<[transactionHash: Hex]>()
  type Receipt = Awaited<ReturnType<typeof client.eth_getTransactionReceipt>>
  expectTypeOf<NonNullable<Receipt>['blockNumber']>().toEqualTypeOf<Hex>()
})

test('requests go over HTTP, and errors of the node come back as such', async () => {
  const { url } = await serve()
  const client = createClient(httpTransport(url, { headers: { 'x-test': '1' } }))
  expect(await client.eth_chainId()).toBe('0x425d4')
  expect(await client.eth_getBalance(ALICE, 'latest')).toBe('0x5')
  expect(await client.eth_getBalance(ALICE)).toBe('0x5')
  expect(await client.eth_getTransactionReceipt(`0x${'11'.repeat(32)}`)).toBeNull()
  const failed = client.eth_getBalance('0x12')
  await expect(failed).rejects.toBeInstanceOf(RequestError)
  await expect(failed).rejects.toMatchObject({ code: -32_602 })
})

test('requests and subscriptions go over one WebSocket, and end with it', async () => {
  const { ws, sockets } = await serve()
  const transport = await webSocket(ws, { open: (url) => new WebSocket(url) })
  const client = createClient(transport)
  expect(await Promise.all([client.eth_chainId(), client.net_version()])).toEqual([
    '0x425d4',
    '271828',
  ])
  const head = await new Promise((resolve) => void transport.subscribe(['newHeads'], resolve))
  expect(head).toEqual({ number: '0x7' })
  for (const socket of sockets) socket.terminate()
  await expect.poll(() => client.eth_chainId().catch(String)).toContain('is lost')
})

test('a server that is not there is an error', async () => {
  await expect(
    webSocket('ws://127.0.0.1:1', {
      open: (url) => {
        const socket = new WebSocket(url)
        socket.on('error', () => undefined)
        return socket
      },
    }),
  ).rejects.toThrow('is lost')
})
