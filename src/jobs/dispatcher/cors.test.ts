import { expect, test } from 'vitest'
import { createLog } from '../../base/log.ts'
import { createHttpApp } from './http.ts'

const PAGE = 'http://127.0.0.1:4000'

async function appFor(corsOrigins: readonly string[]) {
  const app = createHttpApp({
    hosts: [],
    corsOrigins,
    version: '0',
    log: createLog('test', 'silent'),
  })
  app.get('/stream', async (_request, reply) => {
    reply.hijack()
    reply.raw.writeHead(200, { 'content-type': 'text/event-stream' })
    reply.raw.end('data: 1\n\n')
  })
  return app
}

test('pages of an allowed origin read answers, streams and errors; others read nothing', async () => {
  const app = await appFor([PAGE])
  for (const url of ['/openapi.json', '/stream', '/nothing']) {
    const answer = await app.inject({ url, headers: { origin: PAGE } })
    expect(answer.headers['access-control-allow-origin'], url).toBe(PAGE)
    expect(answer.headers['vary'], url).toBe('Origin')
    const other = await app.inject({ url, headers: { origin: 'http://other.example' } })
    expect(other.headers['access-control-allow-origin'], url).toBeUndefined()
  }
})

test('a preflight of an allowed origin names the headers that requests may carry', async () => {
  const app = await appFor([PAGE])
  const preflight = (origin: string, more = {}) =>
    app.inject({ method: 'OPTIONS', url: '/api/job/submit', headers: { origin, ...more } })
  const allowed = await preflight(PAGE)
  expect(allowed.statusCode).toBe(204)
  expect(allowed.headers['access-control-allow-headers']).toContain('Authorization')
  expect((await preflight('http://other.example')).statusCode).toBe(404)
  for (const [wanted, answer] of [
    ['authorization,x-stainless-os', 'authorization,x-stainless-os'],
    ['user-agent, http-referer', 'user-agent, http-referer'],
    ['a b', allowed.headers['access-control-allow-headers']],
    [`x${'-x'.repeat(600)}`, allowed.headers['access-control-allow-headers']],
  ]) {
    const { headers } = await preflight(PAGE, { 'access-control-request-headers': wanted })
    expect(headers['access-control-allow-headers']).toBe(answer)
  }
})

test('without origins nothing is said of them', async () => {
  const app = await appFor([])
  const answer = await app.inject({ url: '/openapi.json', headers: { origin: PAGE } })
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  expect(answer.headers['vary']).toBeUndefined()
})
