import { once } from 'node:events'
import http from 'node:http'
import net from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { startTestServers, TEST_SECRET, type TestServers } from '../../test/support/jsonRpc.ts'
import { createToken } from './token.ts'

let servers: TestServers | undefined
afterEach(async () => {
  await servers?.close()
  servers = undefined
})

async function start(...args: Parameters<typeof startTestServers>): Promise<TestServers> {
  servers = await startTestServers(...args)
  return servers
}

const JSON_TYPE = { 'content-type': 'application/json' }
const echo = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_echo', params: ['hi'] })
const who = JSON.stringify({ jsonrpc: '2.0', id: 'x', method: 'personal_who', params: [] })

const now = (): number => Math.floor(Date.now() / 1000)
const token = (scope: string[] = ['*']): string =>
  createToken(TEST_SECRET, { scope, ttl: 60, name: 'test', now: now() })

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers }, body })

/** Sends headers that fetch does not allow. */
async function rawPost(
  url: string,
  headers: Record<string, string>,
): Promise<http.IncomingMessage> {
  const request = http.request(url, { method: 'POST', headers: { ...JSON_TYPE, ...headers } })
  request.end(echo)
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  response.resume()
  return response
}

test('a call is answered with JSON', async () => {
  const { url } = await start()
  const response = await post(url, echo)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: 'hi' })
})

// Holds D4.
test('the path chooses the block profile, and other paths are not found', async () => {
  const { url } = await start()
  const profile = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_profile' })
  expect(await (await post(url, profile)).json()).toMatchObject({ result: 'spec' })
  expect(await (await post(`${url}/ethereum`, profile)).json()).toMatchObject({
    result: 'ethereum',
  })
  expect((await post(`${url}/other`, profile)).status).toBe(404)
})

test('errors of calls are HTTP 200, notifications have an empty answer', async () => {
  const { url } = await start()
  const bad = await post(url, '{')
  expect(bad.status).toBe(200)
  expect(await bad.json()).toMatchObject({ id: null, error: { code: -32700 } })
  const silent = await post(url, '{"jsonrpc":"2.0","method":"test_echo"}')
  expect([silent.status, await silent.text()]).toEqual([200, ''])
})

test('text that is not UTF-8 does not parse', async () => {
  const { url } = await start()
  const response = await fetch(url, {
    method: 'POST',
    headers: JSON_TYPE,
    body: Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]),
  })
  expect(await response.json()).toMatchObject({ error: { code: -32700 } })
})

test.each([
  ['GET', 200],
  ['HEAD', 200],
  ['PUT', 405],
  ['DELETE', 405],
  ['OPTIONS', 204],
])('%s is answered with %i', async (method, status) => {
  const { url } = await start()
  expect((await fetch(url, { method })).status).toBe(status)
})

test.each([
  ['application/json; charset=utf-8', 200],
  ['APPLICATION/JSON', 200],
  ['application/json-rpc', 200],
  ['application/jsonrequest', 200],
  ['text/plain', 415],
  ['application/x-www-form-urlencoded', 415],
  ['', 415],
])('the content type "%s" is answered with %i', async (type, status) => {
  const { url } = await start()
  const response = await post(url, echo, { 'content-type': type })
  expect(response.status).toBe(status)
  if (status === 415)
    expect(await response.text()).toContain(
      'invalid content type, only application/json is supported',
    )
})

test('a body of just the limit is taken, one byte more is 413, and the server lives on', async () => {
  const { url } = await start({ bodyLimit: 1000 })
  const pad = (size: number): string => echo + ' '.repeat(size - echo.length)
  expect((await post(url, pad(1000))).status).toBe(200)
  expect((await post(url, pad(1001))).status).toBe(413)
  expect((await post(url, pad(3_000_000))).status).toBe(413)
  expect((await post(url, echo)).status).toBe(200)
})

test('a body without a length is measured as it comes', async () => {
  const { url } = await start({ bodyLimit: 1000 })
  const request = http.request(url, { method: 'POST', headers: JSON_TYPE })
  request.on('error', () => undefined)
  for (let i = 0; i < 20; i++) request.write(' '.repeat(100))
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  expect(response.statusCode).toBe(413)
  request.destroy()
})

test('a page behind a rebound name is refused', async () => {
  const { url } = await start({ hosts: ['node.example'] })
  expect((await rawPost(url, { host: 'evil.example' })).statusCode).toBe(403)
  expect((await rawPost(url, { host: 'localhost:8545' })).statusCode).toBe(200)
  expect((await rawPost(url, { host: 'NODE.EXAMPLE' })).statusCode).toBe(200)
})

test('without an allow-list no answer mentions CORS', async () => {
  const { url } = await start()
  const names = [...(await post(url, echo, { origin: 'https://app.example' })).headers.keys()]
  expect(names.filter((name) => name.startsWith('access-control'))).toEqual([])
})

test('listed origins may read, others may not', async () => {
  const { url } = await start({ corsOrigins: ['https://app.example'] })
  const allowed = async (origin: string) =>
    (await fetch(url, { method: 'OPTIONS', headers: { origin } })).headers.get(
      'access-control-allow-origin',
    )
  expect(await allowed('https://app.example')).toBe('https://app.example')
  expect(await allowed('https://evil.example')).toBeNull()
})

test('a private method without a token is 401, with the id echoed', async () => {
  const { url } = await start()
  const response = await post(url, who)
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: 'x',
    error: { code: 4100, message: 'unauthorized: missing token' },
  })
  const batch = await post(url, `[${who},${echo}]`)
  expect(batch.status).toBe(200)
  expect(await batch.json()).toMatchObject([{ id: 'x', error: { code: 4100 } }, { result: 'hi' }])
})

test('a token opens private methods, as Bearer and as the password of Basic', async () => {
  const { url } = await start()
  const bearer = await post(url, who, { authorization: `Bearer ${token()}` })
  expect(await bearer.json()).toMatchObject({ result: expect.stringMatching(/^token:/) })
  const basic = `Basic ${Buffer.from(`user:${token()}`).toString('base64')}`
  expect((await post(url, who, { authorization: basic })).status).toBe(200)
})

test.each([
  ['a stale token', 'Bearer x.y.z'],
  ['another scope', `Bearer ${token(['miner:*'])}`],
  ['no scheme', token()],
])('%s is 401, leaves public methods alone, and is not logged', async (_, authorization) => {
  const { url, lines } = await start()
  expect((await post(url, who, { authorization })).status).toBe(401)
  expect((await post(url, echo, { authorization })).status).toBe(200)
  expect(lines.join()).not.toContain(authorization.slice(8))
})

test('private access can be thrown open on loopback, and nowhere else', async () => {
  const { url, lines } = await start({ privateAccess: 'open' })
  expect(await (await post(url, who)).json()).toMatchObject({ result: 'nobody' })
  expect(lines.join()).toContain('json-rpc.private is open')
  await expect(
    startTestServers({ privateAccess: 'open', address: { host: '0.0.0.0', port: 0 } }),
  ).rejects.toThrow('loopback')
})

// Holds D13.
test('at an address that others can reach, private methods do not exist unless switched on', async () => {
  const { url } = await start({ address: { host: '0.0.0.0', port: 0 } })
  expect(await (await post(url, who)).json()).toMatchObject({ error: { code: -32601 } })
  await servers?.close()
  const remote = await start({ address: { host: '0.0.0.0', port: 0 }, privateRemote: true })
  expect((await post(remote.url, who)).status).toBe(401)
})

test('large answers are compressed where others can reach the node, on request', async () => {
  const { url } = await start({ address: { host: '0.0.0.0', port: 0 } })
  const big = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_big', params: [100_000] })
  const compressed = await post(url, big, { 'accept-encoding': 'gzip' })
  expect(compressed.headers.get('content-encoding')).toBe('gzip')
  expect(await compressed.json()).toMatchObject({ result: 'x'.repeat(100_000) })
  const plain = await post(url, big, { 'accept-encoding': 'identity' })
  expect(plain.headers.get('content-encoding')).toBeNull()
})

test('a taken port is named, with the flag to change it', async () => {
  const { httpAddress } = await start()
  await expect(startTestServers({ address: httpAddress })).rejects.toMatchObject({
    message: `127.0.0.1:${httpAddress.port} is in use: another program listens on port ${httpAddress.port}`,
    advice: expect.stringContaining('--json-rpc.address'),
  })
})

test('requests in progress are answered after the stop, and new ones refused', async () => {
  const { url, world, close } = await start()
  const answer = post(url, '{"jsonrpc":"2.0","id":1,"method":"test_wait"}')
  await post(url, echo)
  const closed = close()
  world.release()
  expect(await (await answer).json()).toMatchObject({ result: 'released' })
  await closed
  await expect(post(url, echo)).rejects.toThrow()
})

test('a client that leaves in the middle of its body harms nobody', async () => {
  const { url, httpAddress } = await start()
  const socket = net.connect(httpAddress.port, '127.0.0.1')
  const head =
    'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n'
  await new Promise((resolve) => socket.write(`${head}{"a`, resolve))
  socket.destroy()
  expect((await post(url, echo)).status).toBe(200)
})

test.each([10, 3_000_000])(
  'a method that writes its own JSON is sent as it stands: %i characters',
  async (size) => {
    const { url } = await start()
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'test_raw', params: [size] })
    const response = await post(url, body)
    expect(await response.json()).toEqual({ jsonrpc: '2.0', id: 1, result: 'x'.repeat(size) })
    const batch = await post(url, `[${body},${echo}]`)
    expect(await batch.json()).toMatchObject([{ result: 'x'.repeat(size) }, { result: 'hi' }])
  },
)

test('text beyond ASCII arrives whole', async () => {
  const { url } = await start()
  const response = await post(url, echo.replace('hi', 'é — 日本'))
  expect(await response.json()).toMatchObject({ result: 'é — 日本' })
})

test('a client that sends its headers or its body too slowly is sent away', async () => {
  const { url } = await start({ limits: { headersTimeout: 500, requestTimeout: 1000 } })
  const { port } = new URL(url)
  const head = `POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n`
  for (const beginning of [head, `${head}Content-Length: 50\r\n\r\n{"jsonrpc"`]) {
    const socket = net.connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(beginning)
    await once(socket.resume(), 'close')
  }
  expect((await post(url, echo)).status).toBe(200)
})

test('a WebSocket that is never opened is closed as soon as its timeout is over', async () => {
  const { wsUrl } = await start({ limits: { headersTimeout: 300 } })
  const { port } = new URL(wsUrl)
  const opening = 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\n'
  for (const beginning of [opening, 'G']) {
    const started = performance.now()
    const socket = net.connect(Number(port), '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write(beginning)
    await once(socket.resume(), 'close')
    // Node looks every 30 seconds unless it is told otherwise.
    expect(performance.now() - started).toBeLessThan(10_000)
  }
})

test('a connection that is idle for too long is closed', async () => {
  const { url } = await start({ limits: { keepAlive: 100 } })
  const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
  await once(socket.resume(), 'close')
})

test('more connections than allowed are closed at once, and one that ends makes way', async () => {
  const { url } = await start({ maxConnections: 2 })
  const connect = async (): Promise<net.Socket> => {
    const socket = net.connect(Number(new URL(url).port), '127.0.0.1')
    await once(socket, 'connect')
    return socket.resume()
  }
  const [first] = [await connect(), await connect()]
  await once(await connect(), 'close')
  first.end()
  await once(first, 'close')
  expect((await post(url, echo)).status).toBe(200)
})

test('answers of a batch end where their limit is', async () => {
  const { url } = await start({ limits: { batchResponse: 1000 } })
  const big = { jsonrpc: '2.0', id: 1, method: 'test_big', params: [600] }
  const response = await post(url, JSON.stringify([big, { ...big, id: 2 }, { ...big, id: 3 }]))
  expect(await response.json()).toMatchObject([
    { id: 1, result: 'x'.repeat(600) },
    { id: 2, error: { code: -32003 } },
    { id: 3, error: { code: -32003 } },
  ])
})
