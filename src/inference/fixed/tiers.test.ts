import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { TYPESCRIPT_FLAGS } from '../../../test/support/typescript/flags.ts'

const inference = path.resolve(import.meta.dirname, '..')

/** Runs the generated model in a process of its own and prints its commitment. */
const SCRIPT = `
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
const { openFixedEngine } = await import(process.argv[1] + '/fixed/engine.ts')
const { openModelFolder } = await import(process.argv[1] + '/models.ts')
const { ensureTinyModel } = await import(process.argv[1] + '/tinyModel.ts')
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-tiers-'))
ensureTinyModel(folder)
const model = await openModelFolder(folder).open('tiny.gguf')
const signal = new AbortController().signal
const { commitment } = await openFixedEngine().generate({
  model, prompt: 'What is AI?', temperature: 0.8, topP: 0.9, maxTokens: 32, seed: 7n, signal,
})
fs.rmSync(folder, { recursive: true })
process.stdout.write(commitment.traceRoot.slice(2, 18))
`

// Holds D35.
test.each([
  ['as it is', []],
  ['with the baseline compiler alone', ['--liftoff', '--no-wasm-tier-up']],
  ['with the optimizing compiler alone', ['--no-liftoff']],
  ['without compiled JavaScript', ['--no-opt', '--no-sparkplug']],
])('the steps are the same in a process %s', async (_name, flags) => {
  const args = [...flags, ...TYPESCRIPT_FLAGS, '--input-type=module', '-e', SCRIPT, inference]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  expect(stdout).toBe('b9e031bc244b84b0')
})
