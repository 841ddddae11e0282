import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { CometRpcError, createCometRpcClient, type CometRpcClient } from './rpc.ts'

type Request = { readonly id: number; readonly method: string }

/** How the server answers, as CometBFT 0.38 does unless a test says otherwise. */
let answer: (request: Request) => unknown
let whole: ((requests: readonly Request[]) => unknown) | undefined
let client: CometRpcClient

const connections = new Set<Socket>()

const server = http.createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body: Request | Request[] = JSON.parse(Buffer.concat(chunks).toString())
    const requests = [body].flat()
    const answers = requests.map((each) => ({
      jsonrpc: '2.0',
      id: each.id,
      ...Object(answer(each)),
    }))
    const normal = answers.length === 1 ? answers[0] : answers
    const text = whole === undefined ? normal : whole(requests)
    connections.add(request.socket)
    response.end(JSON.stringify(text))
  })
})

beforeAll(async () => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  client = createCometRpcClient(`http://127.0.0.1:${port}`, new AbortController().signal)
})
beforeEach(() => {
  answer = () => ({ result: { code: 0 } })
  whole = undefined
})
afterAll(() => server.close())

const txs = (count: number) => Array.from({ length: count }, (_, at) => Uint8Array.of(at))
const failure = { error: { code: -32603, message: 'Internal error', data: 'mempool is full' } }

test('one transaction is answered with an object, several with an array', async () => {
  expect(await client.broadcast(txs(1))).toEqual([undefined])
  expect(await client.broadcast(txs(3))).toEqual([undefined, undefined, undefined])
})

test('an error answer has no result, and its reason is given', async () => {
  answer = () => failure
  expect(await client.broadcast(txs(1))).toEqual(['Internal error: mempool is full'])
  answer = ({ id }) => (id === 1 ? failure : { result: {} })
  expect(await client.broadcast(txs(3))).toEqual([
    undefined,
    'Internal error: mempool is full',
    undefined,
  ])
  answer = () => failure
  await expect(client.status()).rejects.toThrow('status: Internal error: mempool is full')
})

test('whatever else comes back is an error of CometBFT', async () => {
  for (const text of [1, null, 'x', [1], { id: 'x' }, [], Array.from({ length: 11 }, () => ({}))]) {
    whole = () => text
    const outcomes = await Promise.allSettled([client.status(), client.broadcast(txs(1))])
    for (const each of outcomes)
      if (each.status === 'rejected') expect(each.reason).toBeInstanceOf(CometRpcError)
      else expect(each.value).toEqual(['no answer'])
    expect(outcomes[0].status).toBe('rejected')
  }
})

test('a connection serves many requests, and one that was closed is replaced', async () => {
  connections.clear()
  for (let i = 0; i < 20; i++) expect(await client.broadcast(txs(1))).toEqual([undefined])
  expect(connections.size).toBe(1)
  for (const each of connections) each.destroy()
  expect(await client.broadcast(txs(2))).toEqual([undefined, undefined])
})

test('a CometBFT that is not there, and a client that is stopped, are said', async () => {
  const stopping = new AbortController()
  const away = createCometRpcClient('http://127.0.0.1:1', stopping.signal)
  await expect(away.status()).rejects.toThrow('CometBFT at http://127.0.0.1:1 does not respond')
  stopping.abort()
  await expect(away.status()).rejects.toBeInstanceOf(CometRpcError)
})
