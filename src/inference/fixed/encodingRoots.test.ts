/** Traces of models in each encoding, as the engine gave them before weights were kept at their own width. */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { BLOCK_ENCODINGS } from '../../../test/support/blockEncodings.ts'
import { toHex } from '../../base/hex.ts'
import { generateModel, type GeneratedEncoding } from '../generateModel.ts'
import { loadFixedModel } from './model.ts'
import { run } from './run.ts'
import { toSampling } from './sampler.ts'
import { traceRoot, type TokenTrace } from './trace.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-roots-'))
afterAll(() => fs.rmSync(folder, { recursive: true }))

const SHAPE = { width: 256, layers: 2, heads: 4, keyHeads: 2, hidden: 512, contextLength: 512 }
const ENCODINGS: Readonly<Record<string, GeneratedEncoding>> = {
  Q8_0: 'Q8_0',
  Q4_0: 'Q4_0',
  F16: 'F16',
  ...BLOCK_ENCODINGS,
}

// Holds D35, D119.
// Holds D131.
test.each([
  ['BF16', '7a9d14a51520d7b5'],
  ['F16', 'b3c3b2cb494a18fc'],
  ['F32', 'b3f6232bd12fdb3a'],
  ['Q4_0', '290b4cd629052184'],
  ['Q4_1', 'a54cd3440e3bf275'],
  ['Q4_K', '2a7e3fe267ddebb4'],
  ['Q5_0', '1e4d40753fb76b17'],
  ['Q5_1', 'a75d1e833a2d006a'],
  ['Q5_K', '9807b68d6dfe9d77'],
  ['Q6_K', '49511697a6c40a84'],
  ['Q8_0', '7ee922279e9b281c'],
])('the steps of a model in %s are the same on every machine', async (name, root) => {
  const file = path.join(folder, `${name}.gguf`)
  const encoding = ENCODINGS[name]
  if (encoding === undefined) throw new Error(`no encoding ${name}`)
  fs.writeFileSync(file, generateModel({ seed: 5, shape: SHAPE, encoding }))
  const model = await loadFixedModel({ name, path: file })
  const trace: TokenTrace[] = []
  const request = {
    prompt: model.tokenizer.encode('What is AI? Tell me more about it.'),
    sampling: toSampling(0.8, 0.9, 7n),
    room: 24,
    signal: new AbortController().signal,
  }
  for await (const step of run(model, request)) trace.push(step)
  expect(toHex(traceRoot(trace)).slice(2, 18)).toBe(root)
})
