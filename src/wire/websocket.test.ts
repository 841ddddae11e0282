import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { WebSocket, type ClientOptions } from 'ws'
import { startTestServers, TEST_SECRET, type TestServers } from '../../test/support/jsonRpc.ts'
import { createToken } from './token.ts'
import { waitFor } from '../../test/support/waitFor.ts'

let servers: TestServers | undefined
afterEach(async () => {
  await servers?.close()
  servers = undefined
})

async function start(...args: Parameters<typeof startTestServers>): Promise<TestServers> {
  servers = await startTestServers(...args)
  return servers
}

type Client = {
  readonly socket: WebSocket
  readonly received: unknown[]
  send(method: string, params?: unknown[], id?: number): void
  /** Resolves when so many messages have arrived. */
  until(count: number): Promise<unknown[]>
}

async function connect(url: string, options: ClientOptions = {}): Promise<Client> {
  const socket = new WebSocket(url, options)
  const received: unknown[] = []
  socket.on('message', (data) => received.push(JSON.parse((data as Buffer).toString())))
  await once(socket, 'open')
  return {
    socket,
    received,
    send: (method, params = [], id = 1) =>
      socket.send(JSON.stringify({ jsonrpc: '2.0', id, method, params })),
    async until(count) {
      await waitFor(() => expect(received.length).toBeGreaterThanOrEqual(count))
      return received
    },
  }
}

async function refusalOf(url: string, options: ClientOptions): Promise<number | undefined> {
  const socket = new WebSocket(url, options)
  socket.on('error', () => undefined)
  const [, response] = (await once(socket, 'unexpected-response')) as [
    unknown,
    { statusCode?: number },
  ]
  return response.statusCode
}

const token = (ttl: number): string =>
  createToken(TEST_SECRET, { scope: ['*'], ttl, name: 'test', now: Date.now() / 1000 })

test('calls are answered as they are done, each under its id', async () => {
  const { wsUrl, world } = await start()
  const client = await connect(wsUrl)
  client.send('test_wait', [], 1)
  client.send('test_echo', ['hi'], 2)
  expect(await client.until(1)).toEqual([{ jsonrpc: '2.0', id: 2, result: 'hi' }])
  world.release()
  expect((await client.until(2))[1]).toEqual({ jsonrpc: '2.0', id: 1, result: 'released' })
})

test('the path chooses the block profile, and other paths are refused', async () => {
  const { wsUrl } = await start()
  const client = await connect(`${wsUrl}/ethereum`)
  client.send('test_profile')
  expect(await client.until(1)).toMatchObject([{ result: 'ethereum' }])
  expect(await refusalOf(`${wsUrl}/other`, {})).toBe(404)
})

test('notifications follow the answer that names their subscription', async () => {
  const { wsUrl, world } = await start()
  const client = await connect(wsUrl)
  client.send('test_subscribe')
  await client.until(2)
  world.publish({ a: 1 })
  const notification = (result: unknown) => ({
    jsonrpc: '2.0',
    method: 'eth_subscription',
    params: { subscription: '0x1', result },
  })
  expect(await client.until(3)).toEqual([
    { jsonrpc: '2.0', id: 1, result: '0x1' },
    notification('first'),
    notification({ a: 1 }),
  ])
  client.socket.close()
  await waitFor(() => expect(world.publish('late')).toBe(false))
})

test('web pages connect only from listed origins', async () => {
  const { wsUrl } = await start({ wsOrigins: ['https://app.example'] })
  expect(await refusalOf(wsUrl, { origin: 'https://evil.example' })).toBe(403)
  expect(await refusalOf(wsUrl, { headers: { host: 'evil.example' } })).toBe(403)
  const client = await connect(wsUrl, { origin: 'https://app.example' })
  client.send('test_echo')
  await client.until(1)
})

test('the token is checked when the connection opens', async () => {
  const { wsUrl } = await start()
  const anonymous = await connect(wsUrl)
  anonymous.send('personal_who')
  expect(await anonymous.until(1)).toMatchObject([{ error: { code: 4100 } }])
  const known = await connect(wsUrl, { headers: { authorization: `Bearer ${token(60)}` } })
  known.send('personal_who')
  expect(await known.until(1)).toMatchObject([{ result: expect.stringMatching(/^token:/) }])
  expect(await refusalOf(wsUrl, { headers: { authorization: 'Bearer x.y.z' } })).toBe(401)
})

test('a connection ends with its token', async () => {
  const { wsUrl } = await start()
  const client = await connect(wsUrl, { headers: { authorization: `Bearer ${token(0.3)}` } })
  const [code] = (await once(client.socket, 'close')) as [number]
  expect(code).toBe(1008)
})

test('a message over the limit ends its connection, and only that', async () => {
  const { wsUrl } = await start()
  const [greedy, other] = [await connect(wsUrl), await connect(wsUrl)]
  greedy.send('test_echo', ['x'.repeat(1024 * 1024)])
  const [code] = (await once(greedy.socket, 'close')) as [number]
  expect(code).toBe(1009)
  other.send('test_echo')
  await other.until(1)
})

test('garbage is answered with a parse error', async () => {
  const { wsUrl } = await start()
  const client = await connect(wsUrl)
  client.socket.send('{')
  client.socket.send(Buffer.from([0xff]))
  expect(await client.until(2)).toMatchObject([
    { error: { code: -32700 } },
    { error: { code: -32700 } },
  ])
})

test('a client that does not read is dropped, and others are served', async () => {
  const { wsUrl, world } = await start({ limits: { sendBuffer: 100_000 } })
  const slow = await connect(wsUrl)
  slow.send('test_subscribe')
  await slow.until(2)
  slow.socket.pause()
  const chunk = 'x'.repeat(50_000)
  await waitFor(() => {
    for (let i = 0; i < 20; i++) world.publish(chunk)
    expect(world.publish(chunk)).toBe(false)
  })
  const other = await connect(wsUrl)
  other.send('test_echo')
  await other.until(1)
  slow.socket.terminate()
})

test('answers larger than the send buffer reach a client that reads', async () => {
  const { wsUrl, world } = await start({ limits: { sendBuffer: 100_000 } })
  const client = await connect(wsUrl)
  client.send('test_subscribe')
  await client.until(2)
  for (let id = 0; id < 10; id++) client.send('test_big', [1_000_000], id)
  await client.until(3)
  world.publish('still there')
  expect((await client.until(13)).filter((message) => 'id' in (message as object))).toHaveLength(11)
})

test('JSON that a method writes itself is a text message', async () => {
  const { wsUrl } = await start()
  const client = await connect(wsUrl)
  client.send('test_raw', [200_000], 7)
  expect(await client.until(1)).toEqual([{ jsonrpc: '2.0', id: 7, result: 'x'.repeat(200_000) }])
})

test('a client that does not answer pings is dropped', async () => {
  const { wsUrl } = await start({ limits: { pingInterval: 50 } })
  const client = await connect(wsUrl, { autoPong: false })
  const [code] = (await once(client.socket, 'close')) as [number]
  expect(code).toBe(1006)
})

test('a flood of calls is worked on a few at a time and all are answered', async () => {
  const { wsUrl, world } = await start()
  const client = await connect(wsUrl)
  for (let id = 0; id < 300; id++) client.send('test_wait', [], id)
  world.release()
  const answers = (await client.until(300)) as { id: number }[]
  expect(new Set(answers.map(({ id }) => id)).size).toBe(300)
})

test('clients are told when the node stops', async () => {
  const { wsUrl, close } = await start()
  const client = await connect(wsUrl)
  const closing = once(client.socket, 'close') as Promise<[number]>
  await close()
  expect((await closing)[0]).toBe(1001)
})

test('a plain HTTP request is told what this port is for', async () => {
  const { wsUrl } = await start()
  expect((await fetch(wsUrl.replace('ws:', 'http:'))).status).toBe(426)
})
