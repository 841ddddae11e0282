// Holds D92.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKv } from '../kv.ts'
import { openPageFile } from './pageFile.ts'
import { scanPart, type ScanPosition } from './scanPart.ts'
import { scanStore } from './scanStore.ts'

let folder: string
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-part-'))
  const kv = openKv(folder)
  const tables = ['first', 'second', 'third'].map((name) => kv.table(name))
  for (let round = 0; round < 40; round++)
    kv.write(() => {
      for (const table of tables)
        for (let i = 0; i < 40; i++)
          table.put(Uint8Array.of(round, i), new Uint8Array(i === 7 ? 20_000 : 60).fill(i))
    })
  await kv.close()
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const nameOf = (table: string, key: Uint8Array, value: Uint8Array) =>
  `${table} ${Buffer.from(key).toString('hex')} ${Buffer.from(value).toString('hex')}`

test.each([
  [1, false],
  [7, false],
  [50, true],
  [100_000, true],
])('parts of %i pages cover every record', (maxPages, isDirect) => {
  const all = new Set<string>()
  scanStore(folder, { onRecord: (...record) => all.add(nameOf(...record)) })
  const found = new Set<string>()
  const file = openPageFile(folder, isDirect)
  if (file === undefined) throw new Error('no store')
  let [position, parts]: [ScanPosition | undefined, number] = [undefined, 0]
  do {
    const part = scanPart(file, position, maxPages, (...record) => found.add(nameOf(...record)))
    expect(part.faults).toEqual([])
    position = part.next
    parts++
  } while (position !== undefined && parts < 10_000)
  file.close()
  expect(position).toBeUndefined()
  expect(found).toEqual(all)
  expect(parts > 1).toBe(maxPages < 1000)
})
