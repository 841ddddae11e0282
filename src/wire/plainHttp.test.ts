import { once } from 'node:events'
import net from 'node:net'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { startTestServers, TEST_SECRET, type TestServers } from '../../test/support/jsonRpc.ts'
import { createPlainReader } from './plainRequest.ts'
import { createToken } from './token.ts'

let servers: TestServers | undefined
afterEach(async () => {
  await servers?.close()
  servers = undefined
})

const body = (id: number): string =>
  JSON.stringify({ jsonrpc: '2.0', id, method: 'test_echo', params: [`hi ${id}`] })

function requestOf(id: number, headers: readonly string[] = []): string {
  const text = body(id)
  return [
    'POST / HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
    ...headers,
    '',
    text,
  ].join('\r\n')
}

/**
 * Sends chunks over one connection, each as soon as the response so far matches the previous pattern; returns
 * everything received.
 */
async function exchange(...steps: readonly (readonly [string, RegExp])[]): Promise<string> {
  servers = await startTestServers()
  const socket = net.connect(Number(new URL(servers.url).port), '127.0.0.1')
  await once(socket, 'connect')
  let received = ''
  for (const [text, pattern] of steps) {
    socket.write(text)
    while (!pattern.test(received)) received += String((await once(socket, 'data'))[0])
  }
  socket.destroy()
  return received
}

test('requests follow each other on one connection', async () => {
  const received = await exchange([requestOf(1), /hi 1/], [requestOf(2), /hi 2/])
  expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2)
  expect(received).toContain('Connection: keep-alive')
})

// Holds D38c.
test('whatever is not plain is answered as well, on the same connection, before plain ones and after', async () => {
  const received = await exchange(
    [requestOf(1), /hi 1/],
    // Two requests at once.
    [requestOf(2) + requestOf(3), /hi 3/],
    ['GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', /hi 3[^]*HTTP\/1\.1 200 OK/],
    [requestOf(4), /hi 4/],
  )
  expect(received.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(5)
})

test('a request may come in pieces, wherever it is cut', async () => {
  const text = requestOf(7)
  for (const at of [1, 20, text.indexOf('\r\n\r\n') + 2, text.length - 3]) {
    servers = await startTestServers()
    const socket = net.connect(Number(new URL(servers.url).port), '127.0.0.1')
    await once(socket, 'connect')
    socket.setNoDelay()
    socket.write(text.slice(0, at))
    // The first chunk has been read once another connection has its response.
    const headers = { 'content-type': 'application/json' }
    await fetch(servers.url, { method: 'POST', body: body(1), headers })
    socket.write(text.slice(at))
    expect(String((await once(socket, 'data'))[0])).toContain('hi 7')
    socket.destroy()
    await servers.close()
    servers = undefined
  }
})

test('requests that come while one is answered are answered too', async () => {
  const received = await exchange([requestOf(1) + requestOf(2) + requestOf(3), /hi 3/])
  expect([...received.matchAll(/hi (\d)/g)].map(([, id]) => id)).toEqual(['1', '2', '3'])
})

test.each([
  ['two lengths', requestOf(1, ['Content-Length: 3']), /400 Bad Request/],
  ['a length and chunks', requestOf(1, ['Transfer-Encoding: chunked']), /400 Bad Request/],
  ['no host', requestOf(1).replace('Host: localhost\r\n', ''), /400 Bad Request/],
  ['a rebound name', requestOf(1).replace('localhost', 'evil.example'), /403 Forbidden/],
  ['another path', requestOf(1).replace('POST /', 'POST /other'), /404 Not Found/],
  ['another type', requestOf(1).replace('application/json', 'text/plain'), /415 Unsupported/],
])('%s is refused as node:http refuses it', async (_, text, pattern) => {
  expect(await exchange([text, pattern])).toMatch(pattern)
})

test('a token is asked for again with each request of a connection', async () => {
  const now = Math.floor(Date.now() / 1000)
  const token = createToken(TEST_SECRET, { scope: ['*'], ttl: 60, name: 'a', now })
  const who = (id: number, headers: readonly string[]): string =>
    requestOf(id, headers).replace('test_echo', 'personal_who').replace(`"hi ${id}"`, '   ')
  const received = await exchange(
    [who(1, [`Authorization: Bearer ${token}`]), /"id":1/],
    [who(2, [`Authorization: Bearer ${token}`]), /"id":2/],
    [who(3, []), /"id":3/],
    [who(4, [`Authorization: Bearer ${token}x`]), /"id":4/],
    [who(5, [`Authorization: Bearer ${token}`]), /"id":5/],
  )
  const statuses = [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  expect(statuses).toEqual(['200', '200', '401', '401', '200'])
})

test('a plain head is read as it was written, and bytes of any kind never throw', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9.-]{0,20}$/)
  fc.assert(
    fc.property(name, fc.nat(1000), fc.boolean(), fc.boolean(), (host, length, gzip, token) => {
      const more = `${gzip ? '\r\naccept-encoding: br, gzip' : ''}${token ? '\r\nAuthorization: Bearer x.y.z' : ''}`
      const head = `POST / HTTP/1.1\r\nhost: ${host}\r\nContent-type: application/json\r\ncontent-LENGTH:${length}${more}\r\n\r\n`
      expect(createPlainReader()(Buffer.from(head))).toEqual({
        path: '/',
        host,
        bodyAt: head.length,
        bodyLength: length,
        acceptsGzip: gzip,
        authorization: token ? 'Bearer x.y.z' : undefined,
      })
    }),
  )
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const text = Buffer.concat([
        Buffer.from('POST / HTTP/1.1\r\n'),
        bytes,
        Buffer.from('\r\n\r\n'),
      ])
      expect(createPlainReader()(text)).toBeUndefined()
    }),
  )
})
