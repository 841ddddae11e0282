import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openModelFolder } from '../models.ts'
import { ensureTinyModel, TINY_MODEL } from '../tinyModel.ts'
import { openFixedEngine } from './engine.ts'

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-stop-'))
const engine = openFixedEngine()

beforeAll(() => ensureTinyModel(folder))

afterAll(async () => {
  await engine.close()
  fs.rmSync(folder, { recursive: true })
})

async function request(stop: readonly string[]) {
  return {
    model: await openModelFolder(folder).open(TINY_MODEL),
    prompt: 'What is AI?',
    temperature: 1,
    topP: 1,
    maxTokens: 32,
    seed: 7n,
    stop,
    signal: new AbortController().signal,
  }
}

// Holds D137.
test('a generation ends with the token that completes a stop text, and replays to the same end', async () => {
  const whole = await engine.generate(await request([]))
  const stop = whole.output.slice(10, 12)
  const pieces: string[] = []
  const cut = await engine.generate({
    ...(await request([stop])),
    onText: (text) => pieces.push(text),
  })
  expect(cut.output).toBe(whole.output.slice(0, whole.output.indexOf(stop)))
  expect(pieces.join('')).toBe(cut.output)
  expect(cut.finishReason).toBe('stop')
  expect(cut.tokens).toBeLessThan(whole.tokens)
  const trace = cut.commitment?.trace ?? []
  expect(await engine.replay(await request([stop]), trace)).toBeUndefined()
  expect(await engine.replay(await request([]), trace)).toMatchObject({ step: 'end' })
})
