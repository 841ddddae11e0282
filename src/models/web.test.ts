// Holds D124.
import { once } from 'node:events'
import http from 'node:http'
import net, { type AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startModelServer, type ModelServer } from '../../test/support/modelServer.ts'
import { networkFault, openWeb } from './web.ts'

let server: ModelServer
let proxy: http.Server
let proxied: string[]
const { signal } = new AbortController()

/** A proxy that wants a password; https goes through tunnels, which end at the stand-in. */
beforeEach(async () => {
  server = await startModelServer()
  server.pages.set('/page', { headers: { 'content-type': 'text/plain' }, body: 'hello' })
  proxied = []
  proxy = http.createServer((request, response) => {
    proxied.push(`${request.method} ${request.url} ${request.headers['proxy-authorization']}`)
    response.end('by proxy')
  })
  proxy.on('connect', (request, socket) => {
    proxied.push(`CONNECT ${request.url} ${request.headers['proxy-authorization']}`)
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})
afterEach(async () => {
  await server.close()
  proxy.closeAllConnections()
  proxy.close()
})

const login = `Basic ${Buffer.from('me:word').toString('base64')}`
const proxyUrl = (): string => `http://me:word@127.0.0.1:${(proxy.address() as AddressInfo).port}`

test('the proxies of the environment are used, except for what NO_PROXY names', async () => {
  const web = openWeb({ HTTP_PROXY: proxyUrl(), https_proxy: proxyUrl(), NO_PROXY: '127.0.0.1' })
  expect(await web.page(new URL(`${server.url}/page`), { signal })).toMatchObject({ text: 'hello' })
  expect(proxied).toEqual([])
  const page = await web.page(new URL('http://models.example/page'), { signal })
  expect(page.text).toBe('by proxy')
  await expect(web.page(new URL('https://models.example/page'), { signal })).rejects.toThrow()
  expect(proxied).toEqual([
    `GET http://models.example/page ${login}`,
    `CONNECT models.example:443 ${login}`,
  ])
  await web.close()
})

test('a variable that names no proxy is an error without what it says', () => {
  expect(() => openWeb({ HTTPS_PROXY: 'http://secret@[' })).toThrow(/^(?!.*secret).*HTTPS_PROXY/)
})

test('a page beyond the maximum is not read to its end', async () => {
  const endless = net.createServer((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    const block = Buffer.alloc(1024 * 1024)
    const more = (): void => void (socket.writable && socket.write(block, more))
    more()
    socket.on('error', () => undefined)
  })
  endless.listen(0, '127.0.0.1')
  await once(endless, 'listening')
  const web = openWeb({})
  const url = new URL(`http://127.0.0.1:${(endless.address() as AddressInfo).port}/simple/some/`)
  await expect(web.page(url, { signal })).rejects.toThrow('is larger than 16777216 bytes')
  await web.close()
  endless.close()
})

test('a fault of the network is told by its code', () => {
  const cause = Object.assign(new Error('getaddrinfo ENOTFOUND pypi.org'), { code: 'ENOTFOUND' })
  expect(networkFault(new TypeError('fetch failed', { cause }))).toBe('ENOTFOUND')
  expect(networkFault(cause)).toBe('ENOTFOUND')
})
