import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { utf8 } from '../base/bytes.ts'
import { openKv, type Kv } from './kv.ts'
import { migrateSchema, readSchemaVersion, SCHEMA_STEPS, type SchemaStep } from './schema.ts'

let folder: string
let kv: Kv
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-schema-'))
  kv = openKv(folder)
})
afterEach(async () => {
  await kv.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

const KEY = utf8('key')

/** Appends a byte to one value, so that the order and number of runs can be seen. */
function append(byte: number): SchemaStep {
  return {
    tables: ['things'],
    run: (store) => {
      const table = store.table('things')
      table.put(KEY, Uint8Array.of(...(table.get(KEY) ?? []), byte))
    },
  }
}

test('a new store is stamped with the current version, and no step runs', () => {
  migrateSchema(kv, [append(1)])
  expect(readSchemaVersion(kv)).toBe(2)
  expect(kv.table('things').get(KEY)).toBeUndefined()
})

test('an older store is brought forward by the steps it lacks, once each and in order', () => {
  migrateSchema(kv, [])
  migrateSchema(kv, [append(1)])
  migrateSchema(kv, [append(1), append(2), append(3)])
  migrateSchema(kv, [append(1), append(2), append(3)])
  expect(kv.table('things').get(KEY)).toEqual(Uint8Array.of(1, 2, 3))
  expect(readSchemaVersion(kv)).toBe(4)
})

test('a step that fails leaves the version before it, and runs again at the next start', () => {
  migrateSchema(kv, [])
  const broken: SchemaStep = {
    tables: ['things'],
    run: (store) => {
      append(2).run(store)
      throw new Error('power cut')
    },
  }
  expect(() => migrateSchema(kv, [append(1), broken])).toThrow('power cut')
  expect(readSchemaVersion(kv)).toBe(2)
  migrateSchema(kv, [append(1), append(2)])
  expect(kv.table('things').get(KEY)).toEqual(Uint8Array.of(1, 2))
})

// Holds D54.
test('a store of a newer program is refused', () => {
  migrateSchema(kv, [append(1)])
  expect(() => migrateSchema(kv, [])).toThrow('schema version 2, but this program supports up to 1')
})

test('a chain from before the first release is refused with advice, and a store without a chain goes on', () => {
  migrateSchema(kv, [])
  migrateSchema(kv)
  expect(readSchemaVersion(kv)).toBe(SCHEMA_STEPS.length + 1)
  const old = openKv(path.join(folder, 'old'))
  onTestFinished(() => old.close())
  migrateSchema(old, [])
  const facts = old.table('chain')
  old.write(() => facts.put(utf8('tip'), Uint8Array.of(0, 0, 0, 0, 0, 1)))
  expect(() => migrateSchema(old)).toThrow('early development version')
  expect(readSchemaVersion(old)).toBe(1)
})
