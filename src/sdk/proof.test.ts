import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import vm from 'node:vm'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  startTestDispatcher,
  startTestPostgres,
  type TestDispatcher,
  type TestPostgres,
} from '../../test/support/dispatcher.ts'
import { connectOperator } from '../../test/support/scriptedOperator.ts'
import { verifyReceipts, type Trust, type Verification } from './proof.ts'

const root = path.resolve(import.meta.dirname, '../..')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-proof-'))
let postgres: TestPostgres
let dispatcher: TestDispatcher
let bundle: { readonly jobId: string; readonly answers: readonly { readonly output: string }[] }

beforeAll(async () => {
  postgres = await startTestPostgres()
  dispatcher = await startTestDispatcher(postgres, 'proof')
  const operator = await connectOperator(dispatcher, { models: ['m.gguf'] })
  const id = await dispatcher.submit({ tag: 'opml', prompt: 'p', model: 'm.gguf' })
  operator.send(await operator.answer(await operator.next('dispatch')))
  await operator.next('recorded')
  operator.socket.close()
  const response = await fetch(`http://${dispatcher.httpAddress}/api/job/receipt/${id}`)
  bundle = ((await response.json()) as { result: typeof bundle }).result
})
afterAll(async () => {
  await dispatcher.close()
  await postgres.stop()
  fs.rmSync(folder, { recursive: true, force: true })
})

const changed = () => ({
  ...bundle,
  answers: bundle.answers.map((answer) => ({ ...answer, output: `${answer.output}!` })),
})

// Holds D150.
test('a bundle holds for who names its dispatcher, and for nobody once it is changed', async () => {
  const trust = { dispatcher: dispatcher.dispatcherAddress, jobId: bundle.jobId, prompt: 'p' }
  expect(await verifyReceipts(bundle, trust)).toMatchObject({
    verdict: 'holds',
    facts: [['signed']],
  })
  expect((await verifyReceipts(bundle, {})).verdict).toBe('unchecked')
  expect((await verifyReceipts(bundle, trust, ['anchored'])).verdict).toBe('unchecked')
  const spoilt = await verifyReceipts(changed(), trust)
  expect(spoilt).toMatchObject({ verdict: 'fails', facts: [[]] })
  expect(spoilt.lines.filter(({ status }) => status === 'fails').map(({ text }) => text)).toEqual([
    'the output does not match the statement',
  ])
  for (const other of [
    { dispatcher: `0x${'1'.repeat(40)}` },
    { prompt: 'q' },
    { modelHash: '00'.repeat(32) },
  ])
    expect((await verifyReceipts(bundle, { ...trust, ...other })).verdict).toBe('fails')
})

test('what is no bundle fails, and what is no hash is an error of the caller', async () => {
  for (const each of [undefined, null, 1, [], {}, { ...bundle, answers: [] }])
    expect((await verifyReceipts(each, {})).verdict).toBe('fails')
  await expect(verifyReceipts(bundle, { dispatcher: 'me' })).rejects.toThrow(
    new TypeError('dispatcher must be 40 hex digits, with or without 0x'),
  )
  await expect(verifyReceipts(bundle, { headerHashes: ['0x12'] })).rejects.toThrow('headerHashes')
})

test('a page can load it: bundled for pages, it needs neither Node nor WebAssembly', async () => {
  const made = await rolldown({
    input: path.join(root, 'dist/sdk/proof.js'),
    platform: 'browser',
    logLevel: 'silent',
  })
  const { output } = await made.generate({ format: 'iife', name: 'proof' })
  const [{ code, imports }] = output
  expect(imports).toEqual([])
  // One realm for bytes, as in a page.
  const globals = { crypto, atob, TextEncoder, TextDecoder, URL, Uint8Array }
  const page = vm.createContext(globals)
  const verify =
    'globalThis.verify = (text, trust) => proof.verifyReceipts(JSON.parse(text), trust)'
  vm.runInContext(`delete globalThis.WebAssembly;${code};${verify}`, page)
  const inPage = (page as { verify?: (text: string, trust: Trust) => Promise<Verification> }).verify
  const trust = { dispatcher: dispatcher.dispatcherAddress }
  const verification = await inPage?.(JSON.stringify(bundle), trust)
  expect(verification?.lines.filter(({ status }) => status === 'fails')).toEqual([])
  expect(verification?.verdict).toBe('holds')
  expect((await inPage?.(JSON.stringify(changed()), trust))?.verdict).toBe('fails')
})
