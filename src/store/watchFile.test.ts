// Holds D90.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { messageOf } from '../base/errors.ts'
import { openKv } from './kv.ts'
import { watchStoreFile } from './watchFile.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-watch-'))
  file = path.join(folder, 'data.mdb')
  const kv = openKv(folder)
  const table = kv.table('table')
  for (let i = 0; i < 50; i++)
    kv.write(() => table.put(Uint8Array.of(i), new Uint8Array(3000).fill(i)))
  await kv.close()
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

test.each([
  ['cut', /is truncated/, () => fs.truncateSync(file, 20_000)],
  ['emptied', /was emptied/, () => fs.truncateSync(file, 0)],
  ['removed', /was removed/, () => fs.rmSync(file)],
  [
    'replaced',
    /was replaced/,
    () => {
      fs.copyFileSync(file, `${file}.copy`)
      fs.renameSync(`${file}.copy`, file)
    },
  ],
] as const)('a file that is %s is noticed', async (_what, message, damage) => {
  const noticed = new Promise<unknown>((resolve) => watchStoreFile(folder, resolve))
  damage()
  expect(messageOf(await noticed)).toMatch(message)
})

test('writes of the store are no damage', async () => {
  const faults: unknown[] = []
  const stop = watchStoreFile(folder, (error) => faults.push(error))
  const kv = openKv(folder)
  const table = kv.table('table')
  for (let round = 0; round < 200; round++) {
    kv.write(() => table.put(Uint8Array.of(round & 255, 1), new Uint8Array(5000)))
    await new Promise((resolve) => setImmediate(resolve))
  }
  stop()
  await kv.close()
  expect(faults).toEqual([])
})
