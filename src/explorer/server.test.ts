import fs from 'node:fs'
import http from 'node:http'
import os from 'node:os'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../base/log.ts'
import { openAssets } from './assets.ts'
import { startExplorer, type Explorer } from './server.ts'

const PAGE_TEXT = '<!doctype html><title>Assay</title>'
const SCRIPT_TEXT = 'export const answer = 42\n'.repeat(50)
const endpoints = {
  rpc: 'http://127.0.0.1:8545',
  ws: 'ws://127.0.0.1:8546',
  comet: 'http://127.0.0.1:26657',
  dispatcher: null,
}

let folder: string
let explorer: Explorer

const asset = (name: string, type: string, encodings: readonly string[] = []) => ({
  path: name,
  type,
  size: SCRIPT_TEXT.length,
  digest: 'ab'.repeat(32),
  immutable: name.startsWith('/assets/'),
  encodings,
})

beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-explorer-'))
  fs.mkdirSync(path.join(folder, 'assets'))
  fs.writeFileSync(path.join(folder, 'index.html'), PAGE_TEXT)
  fs.writeFileSync(path.join(folder, 'assets', 'main-1.js'), SCRIPT_TEXT)
  fs.writeFileSync(path.join(folder, 'assets', 'main-1.js.gz'), gzipSync(SCRIPT_TEXT))
  fs.writeFileSync(path.join(folder, 'assets', 'compiler-1.js'), SCRIPT_TEXT)
  fs.writeFileSync(path.join(folder, 'module.wasm.br'), brotliCompressSync(SCRIPT_TEXT))
  fs.writeFileSync(path.join(folder, 'secret.txt'), 'not in the manifest')
  const assets = [
    asset('/index.html', 'text/html; charset=utf-8'),
    asset('/assets/main-1.js', 'text/javascript; charset=utf-8', ['gzip']),
    asset('/assets/compiler-1.js', 'text/javascript; charset=utf-8'),
    { ...asset('/module.wasm', 'application/wasm', ['br']), only: 'br' },
  ]
  fs.writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify({ assets }))
  explorer = await startExplorer({
    address: { host: '127.0.0.1', port: 0 },
    assets: openAssets(folder)!,
    hosts: ['explorer.example'],
    log: createLog('test', 'silent'),
  })
})

afterAll(async () => {
  await explorer.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

type Reply = { status: number; headers: http.IncomingHttpHeaders; body: Buffer }

/** Sends a request exactly as given: fetch would normalize its path and choose its headers. */
function request(target: string, headers: object = {}, method = 'GET'): Promise<Reply> {
  const { port } = new URL(explorer.url)
  return new Promise((resolve, reject) => {
    const sent = http.request(
      { host: '127.0.0.1', port, path: target, method, headers: { ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
          }),
        )
      },
    )
    sent.on('error', reject).end()
  })
}

test('addresses are told once they are known, and the page may connect to these and to nothing else', async () => {
  const early = await request('/config.json')
  expect(early.status).toBe(503)
  expect(early.headers['retry-after']).toBe('1')
  explorer.announce(endpoints)
  const { status, body, headers } = await request('/config.json')
  expect(status).toBe(200)
  expect(JSON.parse(body.toString())).toEqual(endpoints)
  expect(headers['cache-control']).toBe('no-store')
  const page = await request('/')
  expect(page.headers['content-security-policy']).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; worker-src 'self'; " +
      "connect-src 'self' http://127.0.0.1:8545 ws://127.0.0.1:8546 http://127.0.0.1:26657; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  )
  expect(page.headers['x-content-type-options']).toBe('nosniff')
  expect(page.headers['referrer-policy']).toBe('no-referrer')
})

test('every path without a file name is the page', async () => {
  for (const target of [
    '/',
    '/block/12',
    '/tx/0xab?tab=events',
    `/address/0x${'aB'.repeat(20)}?before=12.3`,
    `/token/0x${'aB'.repeat(20)}`,
    '/jobs?model=a.gguf',
  ]) {
    const { status, body, headers } = await request(target)
    expect(status).toBe(200)
    expect(body.toString()).toBe(PAGE_TEXT)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['cache-control']).toBe('no-cache')
  }
})

test('files that the build did not name are not there, whatever a path looks like', async () => {
  for (const target of [
    '/secret.txt',
    '/manifest.json',
    '/../package.json',
    '/assets/../secret.txt',
    '/assets/%2e%2e/secret.txt',
    '/assets/..\\secret.txt',
    '//etc/passwd.txt',
    '/assets/main-1.js.gz',
    '/assets/missing.js',
    '/__proto__.x',
  ])
    expect((await request(target)).status, target).toBe(404)
})

test('a file is sent compressed to who takes it, and not again to who has it', async () => {
  const plain = await request('/assets/main-1.js')
  expect(plain.headers['content-encoding']).toBeUndefined()
  expect(plain.body.toString()).toBe(SCRIPT_TEXT)
  expect(plain.headers['cache-control']).toBe('public, max-age=31536000, immutable')
  const packed = await request('/assets/main-1.js', { 'accept-encoding': 'br, gzip;q=0.8' })
  expect(packed.headers['content-encoding']).toBe('gzip')
  expect(packed.body).toEqual(gzipSync(SCRIPT_TEXT))
  expect(packed.headers.etag).not.toBe(plain.headers.etag)
  const refused = await request('/assets/main-1.js', { 'accept-encoding': 'gzip;q=0' })
  expect(refused.headers['content-encoding']).toBeUndefined()
  const again = await request('/assets/main-1.js', { 'if-none-match': plain.headers.etag })
  expect(again.status).toBe(304)
  expect(again.body).toHaveLength(0)
  const head = await request('/assets/main-1.js', {}, 'HEAD')
  expect(head.headers['content-length']).toBe(String(SCRIPT_TEXT.length))
  expect(head.body).toHaveLength(0)
})

test('a file that is there in a compressed form alone is unpacked for who does not take that', async () => {
  const packed = await request('/module.wasm', { 'accept-encoding': 'gzip, br' })
  expect(packed.headers['content-encoding']).toBe('br')
  expect(packed.body).toEqual(brotliCompressSync(SCRIPT_TEXT))
  for (const accepted of ['', 'gzip', 'br;q=0, *;q=0']) {
    const plain = await request('/module.wasm', { 'accept-encoding': accepted })
    expect(plain.headers['content-encoding']).toBeUndefined()
    expect(plain.headers['content-length']).toBe(String(SCRIPT_TEXT.length))
    expect(plain.headers['content-type']).toBe('application/wasm')
    expect(plain.body.toString()).toBe(SCRIPT_TEXT)
    expect(plain.headers.etag).not.toBe(packed.headers.etag)
  }
  const head = await request('/module.wasm', {}, 'HEAD')
  expect(head.headers['content-length']).toBe(String(SCRIPT_TEXT.length))
  expect(head.body).toHaveLength(0)
})

test('only the worker that compiles contracts may run WebAssembly', async () => {
  const policy = async (target: string) =>
    String((await request(target)).headers['content-security-policy'])
  expect(await policy('/assets/compiler-1.js')).toContain("'wasm-unsafe-eval'")
  expect(await policy('/assets/main-1.js')).not.toContain('unsafe')
  expect(await policy('/')).not.toContain('unsafe')
})

test('foreign host names and other methods are refused', async () => {
  expect((await request('/', { host: 'rebound.example' })).status).toBe(403)
  expect((await request('/', { host: 'explorer.example' })).status).toBe(200)
  expect((await request('/', { host: 'localhost:4000' })).status).toBe(200)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'TRACE'])
    expect((await request('/', {}, method)).status, method).toBe(405)
})

test('the origins of the page are those under which a loopback address is opened', () => {
  const { port } = new URL(explorer.url)
  expect(explorer.origins).toEqual(
    ['127.0.0.1', 'localhost', '[::1]', 'explorer.example'].map((name) => `http://${name}:${port}`),
  )
})
