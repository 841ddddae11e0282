import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
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
