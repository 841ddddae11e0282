import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { parseGgufHeader } from './gguf.ts'
import { ensureTinyModel, generateTinyModel, TINY_MODEL, TINY_MODEL_SHA256 } from './tinyModel.ts'

const model = generateTinyModel()

// Holds D41.
test('the generated model is the same byte for byte, everywhere and always', () => {
  expect(createHash('sha256').update(model).digest('hex')).toBe(TINY_MODEL_SHA256)
})

test('it reads as a Llama with room for 32,768 tokens', async () => {
  expect(await parseGgufHeader(model)).toEqual({
    version: 3,
    architecture: 'llama',
    contextLength: 32_768,
  })
})

test('it is written where it is missing, and a file of its name is left alone', () => {
  const folder = path.join(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-tiny-')), 'models')
  const file = ensureTinyModel(folder)
  expect(file).toBe(path.join(folder, TINY_MODEL))
  expect(fs.readFileSync(file).equals(model)).toBe(true)
  fs.writeFileSync(file, 'mine')
  ensureTinyModel(folder)
  expect(fs.readFileSync(file, 'utf8')).toBe('mine')
})
