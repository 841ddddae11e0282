import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openKv } from './kv.ts'
import { faultOfStoreFile } from './kvFile.ts'

let folder: string
let file: string
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-kv-file-'))
  file = path.join(folder, 'data.mdb')
  const kv = openKv(folder)
  const table = kv.table('table')
  for (let i = 0; i < 50; i++)
    kv.write(() => table.put(Uint8Array.of(i), new Uint8Array(3000).fill(i)))
  await kv.close()
})
afterEach(() => fs.rmSync(folder, { recursive: true, force: true }))

test('a whole store has no fault, and neither has a new one or an empty file', () => {
  expect(faultOfStoreFile(folder)).toBeUndefined()
  expect(faultOfStoreFile(path.join(folder, 'none'))).toBeUndefined()
  fs.truncateSync(file, 0)
  expect(faultOfStoreFile(folder)).toBeUndefined()
})

test('a store that lacks the roots of its trees is refused and left as it is', () => {
  const whole = fs.readFileSync(file)
  for (let size = Math.floor(whole.length / 2); size > 0; size -= 4093) {
    fs.writeFileSync(file, whole.subarray(0, size))
    expect(() => openKv(folder)).toThrow(/truncated|is not an LMDB file/)
    expect(fs.statSync(file).size).toBe(size)
  }
})

test('a file of something else is refused', () => {
  fs.writeFileSync(file, 'not a store at all'.repeat(1000))
  expect(() => openKv(folder)).toThrow('is not an LMDB file')
})
