/**
 * Tokens compared with llama.cpp's: for every pre-tokenizer with a vocabulary made from a seed, and for the vocabularies of
 * the folder ASSAY_VOCABULARIES, if it is set. ASSAY_TOKENIZER_TEXTS is the number of texts for each (100), ASSAY_FUZZ_SEED
 * their seed.
 */
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  byteLevelVocabulary,
  encodeVocabulary,
  randomNumbers,
  randomText,
} from '../../../../test/support/vocabularies.ts'
import {
  findLlamaRuntime,
  hasLlamaRuntime,
  LLAMA_INSTALL_COMMAND,
  type Llama,
} from '../../llamaRuntime.ts'
import { readModelHead } from '../modelFile.ts'
import { PRE_TOKENIZERS } from './preTokenizers.ts'
import { readTokenizer } from './tokenizer.ts'

const isInstalled = hasLlamaRuntime()
if (!isInstalled)
  process.emitWarning(`skipped, llama.cpp is not installed: run "${LLAMA_INSTALL_COMMAND}"`)

const TEXTS = Number(process.env['ASSAY_TOKENIZER_TEXTS'] ?? 100)
const SEED = Number(process.env['ASSAY_FUZZ_SEED'] ?? 1)
const real = process.env['ASSAY_VOCABULARIES']
const realFiles =
  real === undefined ? [] : fs.readdirSync(real).filter((name) => name.endsWith('.gguf'))

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-vocabulary-'))
let llama: Llama

beforeAll(async () => {
  if (isInstalled) llama = await findLlamaRuntime().start(() => undefined)
})

afterAll(async () => {
  if (isInstalled) await llama.dispose()
  fs.rmSync(folder, { recursive: true })
})

async function compare(file: string): Promise<void> {
  const handle = await fs.promises.open(file)
  const head = await readModelHead(handle)
  await handle.close()
  const ours = readTokenizer(head)
  const theirs = await llama.loadModel({ modelPath: file, gpuLayers: 0, vocabOnly: true })
  const bos = head.metadata.get('tokenizer.ggml.bos_token_id')
  const random = randomNumbers(SEED)
  for (let i = 0; i < TEXTS; i++) {
    const text = randomText(random)
    const expected = [...theirs.tokenize(text, false)]
    const tokens = ours.encode(text)
    // An empty input has a token of its own.
    if (expected.length === 0) continue
    const rest = tokens[0] === bos && tokens.length > expected.length ? tokens.slice(1) : tokens
    expect(rest, `seed ${SEED}: ${JSON.stringify(text)}`).toEqual(expected)
  }
  await theirs.dispose()
}

test.skipIf(!isInstalled).each([...PRE_TOKENIZERS.keys()])(
  'texts of many scripts have the tokens that they have in llama.cpp (%s)',
  async (pre) => {
    const file = path.join(folder, `${pre}.gguf`)
    fs.writeFileSync(file, encodeVocabulary(byteLevelVocabulary(pre)))
    await compare(file)
  },
  60_000,
)

test.skipIf(!isInstalled)('so they have where bytes are in no token', async () => {
  const file = path.join(folder, 'holes.gguf')
  fs.writeFileSync(file, encodeVocabulary(byteLevelVocabulary('gpt-2', 'zqÃ©Ġ')))
  await compare(file)
})

test.skipIf(!isInstalled || realFiles.length === 0).each(realFiles)(
  'so they have with the vocabulary of %s',
  async (name) => compare(path.join(real as string, name)),
  3_600_000,
)
