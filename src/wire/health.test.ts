import http from 'node:http'
import { once } from 'node:events'
import { afterEach, expect, test } from 'vitest'
import { startTestServers, type TestServers } from '../../test/support/jsonRpc.ts'

let servers: TestServers | undefined
afterEach(async () => {
  await servers?.close()
  servers = undefined
})

const DETAILS = { height: 7, lag: 0.5, peers: 3, syncing: false }

async function start(reasons: readonly string[]): Promise<TestServers> {
  servers = await startTestServers({ health: () => ({ reasons, details: DETAILS }) })
  return servers
}

test('a node that is ready says so with status 200', async () => {
  const { url } = await start([])
  for (const [path, status] of [
    ['/healthz', 'ok'],
    ['/readyz', 'ready'],
    ['/readyz?from=haproxy', 'ready'],
  ] as const) {
    const response = await fetch(`${url}${path}`)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(await response.json()).toEqual({ status, ...DETAILS })
  }
})

test('one that is not ready answers 503 with its reasons, and still answers that it is alive', async () => {
  const { url } = await start(['catching up'])
  const ready = await fetch(`${url}/readyz`)
  expect(ready.status).toBe(503)
  expect(await ready.json()).toEqual({ status: 'not ready', ...DETAILS, reasons: ['catching up'] })
  expect((await fetch(`${url}/readyz`, { method: 'HEAD' })).status).toBe(503)
  const alive = await fetch(`${url}/healthz`)
  expect(alive.status).toBe(200)
  expect(await alive.json()).toEqual({ status: 'ok', ...DETAILS })
})

test('checks are read-only, and for the hosts that JSON-RPC is for', async () => {
  const { url, wsUrl } = await start([])
  const post = await fetch(`${url}/readyz`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
  })
  expect(post.status).toBe(405)
  expect(post.headers.get('allow')).toBe('GET, HEAD')
  const request = http.get(`${url}/readyz`, { headers: { host: 'elsewhere.example' } })
  const [response] = (await once(request, 'response')) as [http.IncomingMessage]
  response.resume()
  expect(response.statusCode).toBe(403)
  expect((await fetch(`${wsUrl.replace('ws:', 'http:')}/readyz`)).status).not.toBe(200)
})

test('without a state to tell there are no checks', async () => {
  servers = await startTestServers()
  expect((await fetch(`${servers.url}/readyz`)).status).toBe(404)
})
