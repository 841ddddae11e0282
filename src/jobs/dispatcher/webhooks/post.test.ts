import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkWebhookUrl, postWebhook, type PostSettings } from './post.ts'

let server: Server
let host = ''
let requests = 0

beforeAll(async () => {
  server = createServer((request, response) => {
    requests++
    if (request.url === '/silent') return
    if (request.url === '/redirect') response.writeHead(302, { location: '/ok' })
    else response.writeHead(request.url === '/broken' ? 500 : 204)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  host = `hooks.example:${(server.address() as AddressInfo).port}`
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const post = (path: string, changes: Partial<PostSettings> = {}) =>
  postWebhook(
    `http://${host}${path}`,
    '{}',
    {},
    {
      trusted: [host],
      timeoutMs: 2000,
      resolve: async () => [{ address: '127.0.0.1', family: 4 }],
      ...changes,
    },
  )

test('a trusted host is reached at the address that its name had', async () => {
  await post('/ok')
  await expect(post('/broken')).rejects.toThrow('answered 500')
})

test('redirects are not followed', async () => {
  const before = requests
  await expect(post('/redirect')).rejects.toThrow(/redirects/)
  expect(requests).toBe(before + 1)
})

test('a host that is silent, and a name that does, take no longer than the limit', async () => {
  await expect(post('/silent', { timeoutMs: 100 })).rejects.toThrow(/too long/)
  const never = () => new Promise<never>(() => undefined)
  await expect(post('/ok', { timeoutMs: 100, resolve: never })).rejects.toThrow(/too long/)
})

test('a name with any private address is not connected to, nor is a private address itself', async () => {
  const before = requests
  const mixed = async () => [
    { address: '1.1.1.1', family: 4 },
    { address: '127.0.0.1', family: 4 },
  ]
  const settings = { trusted: [], timeoutMs: 2000, resolve: mixed }
  for (const target of [
    `https://${host}/ok`,
    'https://127.0.0.1/ok',
    'https://[::1]/ok',
    'https://[::ffff:127.0.0.1]/ok',
    'https://2130706433/ok',
    'https://0x7f.1/ok',
    'https://169.254.169.254/latest/meta-data',
  ])
    await expect(postWebhook(target, '{}', {}, settings)).rejects.toThrow(/public internet/)
  expect(requests).toBe(before)
})

test('only https without credentials is a webhook', () => {
  expect(checkWebhookUrl('https://hooks.example/x?y', []).href).toBe('https://hooks.example/x?y')
  for (const url of ['http://hooks.example', 'ftp://hooks.example', 'file:///etc/passwd', 'x'])
    expect(() => checkWebhookUrl(url, [])).toThrow()
  expect(() => checkWebhookUrl('https://user:pass@hooks.example', [])).toThrow(/credentials/)
})
