import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addModelName, removeModelName } from './modelNames.ts'
import { openModelFolder } from './models.ts'
import { ensureTinyModel, TINY_MODEL } from './tinyModel.ts'

function makeFolder(): string {
  return fs.mkdtempSync(path.join(os.tmpdir(), 'assay-models-'))
}

test('a folder lists its model files by name, a missing one none', async () => {
  const folder = makeFolder()
  for (const name of ['b.gguf', 'a.gguf', 'notes.txt', 'not a name.gguf'])
    fs.writeFileSync(path.join(folder, name), '')
  expect(await openModelFolder(folder).list()).toEqual(['a.gguf', 'b.gguf'])
  expect(await openModelFolder(path.join(folder, 'missing')).list()).toEqual([])
})

test('the hash of a model follows its file', async () => {
  const folder = makeFolder()
  const file = ensureTinyModel(folder)
  const models = openModelFolder(folder)
  const hashOfFile = () => `0x${createHash('sha256').update(fs.readFileSync(file)).digest('hex')}`
  expect((await models.open(TINY_MODEL)).sha256).toBe(hashOfFile())
  expect(await models.open(TINY_MODEL)).toBe(await models.open(TINY_MODEL))
  fs.appendFileSync(file, 'x')
  expect((await models.open(TINY_MODEL)).sha256).toBe(hashOfFile())
})

test.each(['missing.gguf', '../outside.gguf', '..', '.', '', 'a/b.gguf'])(
  'there is no model "%s"',
  async (name) => {
    const folder = makeFolder()
    fs.mkdirSync(path.join(folder, 'models'))
    fs.writeFileSync(path.join(folder, 'outside.gguf'), '')
    await expect(openModelFolder(path.join(folder, 'models')).open(name)).rejects.toMatchObject({
      code: 'unknown-model',
    })
  },
)

test('a file that is no model is refused with what is wrong', async () => {
  const folder = makeFolder()
  fs.writeFileSync(path.join(folder, 'bad.gguf'), 'hello, this is no model')
  fs.writeFileSync(path.join(folder, 'short.gguf'), 'GGUF\u0003\0\0\0')
  const models = openModelFolder(folder)
  await expect(models.open('bad.gguf')).rejects.toMatchObject({ code: 'unsupported-model' })
  await expect(models.open('short.gguf')).rejects.toThrow('ends within its metadata')
})

test('a folder with the name of a model is refused', async () => {
  const folder = makeFolder()
  fs.mkdirSync(path.join(folder, 'folder.gguf'))
  await expect(openModelFolder(folder).open('folder.gguf')).rejects.toMatchObject({
    code: 'unsupported-model',
    message: 'model "folder.gguf" is not a file',
  })
})

const hostile = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '../outside.gguf',
    '..\\outside.gguf',
    '/etc/passwd',
    'outside.gguf\0.gguf',
    '．．/x',
  ),
  fc
    .array(fc.constantFrom('..', '/', '\\', '.', '\0', 'outside.gguf', '\u2024', '\uff0f'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
)

// Holds D58.
test('property: no text leads to a file outside the folder', async () => {
  const folder = makeFolder()
  const inside = path.join(folder, 'models')
  fs.mkdirSync(inside)
  ensureTinyModel(folder)
  fs.renameSync(path.join(folder, TINY_MODEL), path.join(folder, 'outside.gguf'))
  const models = openModelFolder(inside)
  await fc.assert(
    fc.asyncProperty(hostile, async (name) => {
      await expect(models.open(name)).rejects.toMatchObject({ code: 'unknown-model' })
      expect(await models.known(name)).toBeUndefined()
    }),
  )
})

// Holds D58, D143.
test('names of the table are served like files, and a file comes before a name', async () => {
  const folder = makeFolder()
  ensureTinyModel(folder)
  fs.copyFileSync(path.join(folder, TINY_MODEL), path.join(folder, 'own.gguf'))
  fs.appendFileSync(path.join(folder, 'own.gguf'), 'x')
  const models = openModelFolder(folder)
  await addModelName(folder, 'llama3:8b', 'own.gguf')
  await addModelName(folder, '../x/y', TINY_MODEL)
  await addModelName(folder, TINY_MODEL, 'own.gguf')
  await addModelName(folder, 'gone', 'gone.gguf')
  expect(await models.list()).toEqual(['../x/y', 'llama3:8b', 'own.gguf', TINY_MODEL].sort())
  const [named, own, tiny] = await Promise.all(
    ['llama3:8b', 'own.gguf', TINY_MODEL].map((name) => models.open(name)),
  )
  expect(named).toMatchObject({ name: 'llama3:8b', sha256: own?.sha256, path: own?.path })
  expect((await models.open('../x/y')).sha256).toBe(tiny?.sha256)
  expect(tiny?.sha256).not.toBe(own?.sha256)
  await expect(models.open('gone')).rejects.toMatchObject({ code: 'unknown-model' })
  expect(await removeModelName(folder, 'llama3:8b')).toBe(true)
  expect(await removeModelName(folder, 'llama3:8b')).toBe(false)
  await expect(models.open('llama3:8b')).rejects.toMatchObject({ code: 'unknown-model' })
  expect(fs.readdirSync(folder).sort()).toEqual(['names.json', 'own.gguf', TINY_MODEL])
})

test.each([
  '[]',
  '{',
  '{"x": 1}',
  '{"x": "../outside.gguf"}',
  '{"": "tiny.gguf"}',
  '{"a\\u0000b": "tiny.gguf"}',
  JSON.stringify({ [`x@sha256:${'0'.repeat(64)}`]: 'tiny.gguf' }),
])(
  'a table such as %s is refused, without a path of the machine, and files are still served',
  async (text) => {
    const folder = makeFolder()
    ensureTinyModel(folder)
    fs.writeFileSync(path.join(folder, 'names.json'), text)
    const models = openModelFolder(folder)
    expect(await models.list()).toEqual([TINY_MODEL])
    expect((await models.open(TINY_MODEL)).name).toBe(TINY_MODEL)
    const error = await models.open('llama3:8b').catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'unsupported-model' })
    expect(String(error)).toContain('names.json in the models folder is not a table')
    expect(String(error)).not.toContain(folder)
  },
)
