import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { toHex } from '../base/hex.ts'
import { fixedModelRoot } from './fixed/model.ts'
import { openIdentities } from './modelIdentity.ts'
import { addModelName } from './modelNames.ts'
import { openModelFolder, type ModelFolder } from './models.ts'
import { ensureTinyModel, TINY_MODEL, TINY_MODEL_SHA256 } from './tinyModel.ts'

const LONG_MS = 60_000

function makeFolder(): string {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-identities-'))
  ensureTinyModel(folder)
  return folder
}

/** Counts how often files are hashed. */
function counted(folder: ModelFolder): ModelFolder & { readonly opened: string[] } {
  const opened: string[] = []
  return {
    ...folder,
    opened,
    open(name, report) {
      opened.push(name)
      return folder.open(name, report)
    },
  }
}

// Holds D144.
test('a model is identified by its file, weights and token list, under each of its names, and read once', async () => {
  const folder = makeFolder()
  await addModelName(folder, 'llama3:8b', TINY_MODEL)
  fs.writeFileSync(path.join(folder, 'bad.gguf'), 'no model')
  const models = counted(openModelFolder(folder))
  const identities = openIdentities(models)
  const known = await identities.known(LONG_MS)
  const tiny = known.get(TINY_MODEL)
  expect(tiny).toEqual({
    sha256: `0x${TINY_MODEL_SHA256}`,
    modelRoot: toHex(await fixedModelRoot({ name: 't', path: path.join(folder, TINY_MODEL) })),
    tokenListHash: expect.stringMatching(/^0x[0-9a-f]{64}$/),
  })
  expect([...known.keys()].sort()).toEqual(['llama3:8b', TINY_MODEL])
  expect(known.get('llama3:8b')).toEqual(tiny)
  await identities.known(LONG_MS)
  expect(models.opened.filter((name) => name === TINY_MODEL)).toHaveLength(1)
})

test('a file that changed has no identity until it was read again', async () => {
  const folder = makeFolder()
  const identities = openIdentities(openModelFolder(folder))
  const before = (await identities.known(LONG_MS)).get(TINY_MODEL)
  fs.appendFileSync(path.join(folder, TINY_MODEL), 'x')
  identities.close()
  expect((await identities.known(0)).has(TINY_MODEL)).toBe(false)
  const again = await openIdentities(openModelFolder(folder)).known(LONG_MS)
  expect(again.get(TINY_MODEL)?.sha256).toMatch(/^0x[0-9a-f]{64}$/)
  expect(again.get(TINY_MODEL)?.sha256).not.toBe(before?.sha256)
  expect(again.get(TINY_MODEL)?.modelRoot).toBe(before?.modelRoot)
})

test('whoever does not wait for a large file gets what is known, and the rest later', async () => {
  const folder = makeFolder()
  const models = openModelFolder(folder)
  let release: () => void = () => undefined
  const held = new Promise<void>((resolve) => (release = resolve))
  const slow: ModelFolder = {
    ...models,
    async open(name, report) {
      await held
      return models.open(name, report)
    },
  }
  const identities = openIdentities(slow)
  expect((await identities.known(0)).size).toBe(0)
  release()
  expect((await identities.known(LONG_MS)).has(TINY_MODEL)).toBe(true)
})
