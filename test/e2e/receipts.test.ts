/** A job's way from the terminal: submit, watch, fetch the bundle, verify it elsewhere, execute it again. */
import { spawnSync } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, inject, test } from 'vitest'
import { eventually, mainFile, runAssay } from '../support/assay.ts'

const up = inject('up')
const home = inject('home')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-receipts-'))
const bundleFile = path.join(folder, 'bundle.json')
const promptFile = path.join(folder, 'prompt.txt')
const model = path.join(home, 'models', 'tiny.gguf')
fs.writeFileSync(promptFile, 'What is AI?')

afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const job = (...args: readonly string[]) => runAssay(['job', ...args], { ASSAY_HOME: home })

let id: string

test('a job is submitted and followed from the terminal', async () => {
  const submitted = await job(
    'submit',
    '--model',
    'tiny.gguf',
    '--prompt-file',
    promptFile,
    '--max-tokens',
    '8',
  )
  id = submitted.output.trim()
  expect(id).toMatch(/^[0-9a-f]{64}$/)
  const { output, code } = await job('watch', id)
  expect(code).toBe(0)
  expect(output.split('\n').map((line) => line.split(' ')[0])).toEqual(
    expect.arrayContaining(['created', 'dispatched', 'draw', 'completed']),
  )
  expect((await job('result', id)).output).toContain(`"job_id": "${id}"`)
})

test('its bundle is anchored on the chain and holds without any server', async () => {
  await eventually(async () => {
    await job('receipt', id, '--output', bundleFile)
    const text = fs.readFileSync(bundleFile, 'utf8')
    return text.includes('signedHeader') ? true : undefined
  }, 40)
  const { output, code } = await runAssay(
    [
      'job',
      'verify',
      bundleFile,
      '--chain-id',
      'assay_271828-1',
      '--dispatcher-address',
      up.dispatcherAddress,
      '--prompt-file',
      promptFile,
    ],
    { ASSAY_HOME: path.join(folder, 'nothing-here') },
  )
  expect(output).toContain('is signed by 1 of 1 validators')
  expect(output).toContain('the state holds that root and count')
  expect(output).toContain('Facts about answer 1: signed\n')
  expect(output).toContain(`not checked  answer 1: model: whether "tiny.gguf" is the file`)
  expect(code).toBe(0)

  // A bundle that anybody could have made, without a word about what to trust.
  const self = await job('verify', bundleFile)
  expect(self.output).toContain('NOTHING FAILED, BUT')
  expect(self.code).toBe(3)

  const altered = fs.readFileSync(bundleFile, 'utf8').replace(/"tokens": \d+/, '"tokens": 7')
  fs.writeFileSync(path.join(folder, 'altered.json'), altered)
  const refused = await job('verify', path.join(folder, 'altered.json'))
  expect(refused.output).toContain('FAIL')
  expect(refused.code).toBe(1)
})

test('a prompt may come from standard input, and a job that did not complete is no success', async () => {
  const flags = ['--home', home, '--model', 'nobody has it', '--prompt-file', '-']
  const child = spawnSync(process.execPath, [mainFile, 'job', 'submit', ...flags], {
    input: 'from a pipe',
    encoding: 'utf8',
  })
  const waiting = child.stdout.trim()
  expect(waiting).toMatch(/^[0-9a-f]{64}$/)
  expect((await job('cancel', waiting)).code).toBe(0)
  const { output, code } = await job('watch', waiting)
  expect(output).toContain('cancelled')
  expect(code).toBe(1)
  const both = await job('verify', '-', '--prompt-file', '-')
  expect(both.output).toContain('standard input can be only one of them')
  expect(both.code).toBe(1)
})

test('it is executed again, and with other weights the first step that differs is shown', async () => {
  const same = await job('replay', id, '--prompt-file', promptFile, '--model', model)
  expect(same.output).toMatch(/all \d+ tokens with \d+ layers each agree/)
  expect(same.code).toBe(0)

  const other = path.join(folder, 'other.gguf')
  const bytes = fs.readFileSync(model)
  for (let at = bytes.length >> 1; at < bytes.length; at += 97)
    bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  fs.writeFileSync(other, bytes)
  const differs = await job('replay', id, '--prompt-file', promptFile, '--model', other)
  expect(differs.output).toMatch(/first step that differs: token \d+/)
  expect(differs.output).toContain('THE EXECUTION DIFFERS')
  expect(differs.code).toBe(1)

  const executed = ['verify', bundleFile, '--prompt-file', promptFile, '--model', model]
  const proven = await job(...executed, '--require', 're-executed')
  expect(proven.output).toContain('Facts about answer 1: re-executed')
  expect(proven.code).toBe(0)
  const more = await job(...executed, '--require', 'signed,re-executed', '--json')
  expect(more.code).toBe(3)
  expect(JSON.parse(more.output)).toMatchObject({ verdict: 'unchecked', facts: [['re-executed']] })

  // The same weights in another file are another model.
  const renamed = await job('verify', bundleFile, '--model-hash', '22'.repeat(32))
  expect(renamed.output).toContain(
    'FAIL         answer 1: model "tiny.gguf" is the file with the hash',
  )
  expect(renamed.code).toBe(1)
})

test('mistakes on the command line are told', async () => {
  expect((await job('receipt', 'x')).output).toContain('is not a job id')
  expect((await job('verify', path.join(folder, 'none.json'))).output).toContain('cannot be read')
  expect((await job('receipt', '00'.repeat(32))).output).toContain('responded with 404')
  expect((await job('verify', bundleFile, '--model', model)).output).toContain('--prompt-file')
  expect((await job('verify', bundleFile, '--require', 'true')).output).toContain('is not a fact')
})
