import { execFile } from 'node:child_process'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { encodeGguf } from '../inference/ggufWriter.ts'
import { ensureTinyModel, TINY_MODEL_SHA256 } from '../inference/tinyModel.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-model-'))
const main = path.resolve(import.meta.dirname, '..', '..', 'dist', 'main.js')

afterAll(() => fs.rmSync(folder, { recursive: true }))

const run = (file: string) =>
  promisify(execFile)(process.execPath, [main, 'model', 'hash', file], { encoding: 'utf8' })

test('the hashes of a model are printed', async () => {
  const { stdout } = await run(ensureTinyModel(folder))
  expect(stdout).toContain(`sha256        0x${TINY_MODEL_SHA256}\narchitecture  llama\n`)
  expect(stdout).toContain('model root    0x6190791bbae97cab')
})

test('an architecture that opml jobs cannot use is an error that names those they can', async () => {
  const file = path.join(folder, 'mamba.gguf')
  const metadata = {
    'general.architecture': { type: 'string', value: 'mamba' },
    'mamba.context_length': { type: 'uint32', value: 64 },
  } as const
  fs.writeFileSync(file, encodeGguf(metadata, []))
  await expect(run(file)).rejects.toMatchObject({
    stdout: expect.stringContaining('sha256') as string,
    stderr: expect.stringContaining('architecture is "mamba"; supported: llama') as string,
  })
})
