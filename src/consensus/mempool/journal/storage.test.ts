import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openJournalStorage } from './storage.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-journal-'))
  file = path.join(folder, 'pool.journal')
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

test('a journal replaces the one before only once it is published, and only its owner can read it', async () => {
  const storage = openJournalStorage(file)
  expect(await storage.read()).toBeUndefined()
  fs.writeFileSync(`${file}.tmp`, 'left by a run that was killed')
  const first = await storage.create()
  await first.write(Buffer.from('abc'), 0)
  await first.write(Buffer.from('BC'), 1)
  expect(await storage.read()).toBeUndefined()
  await first.sync()
  await first.publish()
  expect(fs.statSync(file).mode & 0o777).toBe(0o600)
  const second = await storage.create()
  await second.write(Buffer.from('xyz'), 0)
  // It goes on where it is while the other is written.
  await first.write(Buffer.from('d'), 3)
  expect(String(await storage.read())).toBe('aBCd')
  await second.close()
  await first.close()
  expect(fs.readdirSync(folder)).toEqual(['pool.journal'])
})

test('a damaged journal keeps a second name, and the journal can be removed', async () => {
  const storage = openJournalStorage(file)
  for (const text of ['first', 'second']) {
    fs.writeFileSync(file, text)
    await storage.setAside()
    expect(fs.readFileSync(`${file}.damaged`, 'utf8')).toBe(text)
    await storage.remove()
  }
  expect(fs.readdirSync(folder)).toEqual(['pool.journal.damaged'])
})
