// Holds D85.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { equalBytes, utf8 } from '../base/bytes.ts'
import { moduleFile } from '../base/moduleFile.ts'
import { openKv, type KvOptions } from './kv.ts'
import { KvCorruptionError } from './kvError.ts'
import type { KvRecord } from './kvTable.ts'
import { openRoot } from './lmdbRoot.ts'
import { SEAL_SIZE, sealOf, unsealRecord } from './seal.ts'

let folder: string
beforeEach(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-corruption-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
})

async function writeStore(records: readonly KvRecord[]): Promise<void> {
  const kv = openKv(folder)
  const table = kv.table('t')
  kv.write(() => {
    for (const { key, value } of records) table.put(key, value)
  })
  await kv.close()
}

/** Flips one bit of the file at every place where it holds these bytes; returns their number. */
function flip(bytes: Uint8Array, bit: number): number {
  const file = path.join(folder, 'data.mdb')
  const content = fs.readFileSync(file)
  let count = 0
  for (let at = content.indexOf(bytes); at >= 0; at = content.indexOf(bytes, at + 1)) {
    content[at + (bit >> 3)] = (content[at + (bit >> 3)] as number) ^ (1 << (bit & 7))
    count++
  }
  fs.writeFileSync(file, content)
  return count
}

/** Runs an action on table `t` of the store, opened again. */
async function reading<T>(
  action: (table: ReturnType<ReturnType<typeof openKv>['table']>) => T,
  options: KvOptions = {},
): Promise<T> {
  const kv = openKv(folder, options)
  try {
    return action(kv.table('t'))
  } finally {
    await kv.close()
  }
}

function attempt<T>(read: () => T): T | KvCorruptionError {
  try {
    return read()
  } catch (error) {
    expect(error).toBeInstanceOf(KvCorruptionError)
    return error as KvCorruptionError
  }
}

const record = fc.record({
  key: fc.uint8Array({ minLength: 16, maxLength: 52 }),
  value: fc.uint8Array({ maxLength: 9000, size: 'max' }),
})

test('one flipped bit of a value is noticed by get and by range, whatever its size', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(record, { minLength: 1, maxLength: 12, selector: ({ key }) => String(key) }),
      fc.nat(),
      fc.nat(),
      async (records, which, place) => {
        fs.rmSync(folder, { recursive: true, force: true })
        await writeStore(records)
        const { key, value } = records[which % records.length] as KvRecord
        const stored = new Uint8Array(value.length + SEAL_SIZE)
        stored.set(value)
        sealOf('t').write(key, stored, value.length)
        expect(flip(stored, place % (stored.length * 8))).toBeGreaterThan(0)
        await reading((table) => {
          for (const other of records) {
            const found = attempt(() => table.get(other.key))
            if (found instanceof KvCorruptionError) expect(found.key).toEqual(key)
            else expect(equalBytes(found ?? utf8('nothing'), other.value)).toBe(true)
          }
          expect(attempt(() => table.get(key))).toBeInstanceOf(KvCorruptionError)
          expect(attempt(() => [...table.range({})])).toBeInstanceOf(KvCorruptionError)
          const faults = Array.from(table.examine({})).filter(({ fault }) => fault !== undefined)
          expect(faults.map((damaged) => damaged.key)).toEqual([key])
        })
      },
    ),
    { numRuns: 40 },
  )
})

test('one flipped bit of a key is noticed by a range, and get never finds another value', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(record, { minLength: 1, maxLength: 12, selector: ({ key }) => String(key) }),
      fc.nat(),
      fc.nat(),
      async (records, which, place) => {
        fs.rmSync(folder, { recursive: true, force: true })
        await writeStore(records)
        const { key } = records[which % records.length] as KvRecord
        expect(flip(key, place % (key.length * 8))).toBeGreaterThan(0)
        await reading((table) => {
          for (const other of records) {
            const found = attempt(() => table.get(other.key))
            // An absence is for the ledger to notice, by the trie and by headers.
            if (found !== undefined && !(found instanceof KvCorruptionError))
              expect(equalBytes(found, other.value)).toBe(true)
          }
          expect(attempt(() => [...table.range({})])).toBeInstanceOf(KvCorruptionError)
        })
      },
    ),
    { numRuns: 40 },
  )
})

test('a damaged record is named with its table and key, and the error says what to do', async () => {
  const [key, value] = [utf8('the key of a record'), utf8('the value of a record')]
  await writeStore([{ key, value }])
  expect(flip(value, 3)).toBe(1)
  const seen: KvCorruptionError[] = []
  const error = await reading((table) => attempt(() => table.get(key)), {
    onCorruption: (damage) => seen.push(damage),
  })
  expect(seen).toEqual([error])
  expect(error).toMatchObject({
    table: 't',
    key,
    message: `the store is damaged: record 0x${Buffer.from(key).toString('hex')} of table t does not match its checksum`,
    advice: expect.stringContaining('assay node check') as string,
  })
})

test('a record that wandered to another table, or to another key, is noticed', async () => {
  const [key, value] = [utf8('a key'), utf8('a value')]
  await writeStore([{ key, value }])
  const root = openRoot(folder, false, false)
  const raw = (name: string) =>
    root.openDB<Uint8Array, Uint8Array>({ name, encoding: 'binary', keyEncoding: 'binary' })
  const stored = new Uint8Array(raw('t').get(key) as Uint8Array)
  raw('u').putSync(key, stored)
  raw('t').putSync(utf8('b key'), stored)
  await root.close()
  const kv = openKv(folder)
  expect(kv.table('t').get(key)).toEqual(value)
  expect(() => kv.table('u').get(key)).toThrow('of table u does not match')
  expect(() => kv.table('t').get(utf8('b key'))).toThrow('does not match')
  await kv.close()
  expect(unsealRecord('t', key, stored)).toEqual(value)
  expect(() => unsealRecord('u', key, stored)).toThrow(KvCorruptionError)
})

test('a byte cannot change sides between key and value, and no record is shorter than its checksum', () => {
  const [key, value] = [utf8('abc'), utf8('defg')]
  const stored = new Uint8Array(value.length + SEAL_SIZE)
  stored.set(value)
  sealOf('t').write(key, stored, value.length)
  expect(sealOf('t').holds(key, stored)).toBe(true)
  expect(sealOf('t').holds(utf8('abcd'), stored.subarray(1))).toBe(false)
  for (let size = 0; size < stored.length; size++)
    expect(sealOf('t').holds(key, stored.subarray(0, size))).toBe(false)
})

test('the owner of a store learns what another thread met', async () => {
  const [key, value] = [utf8('the key of a record'), utf8('the value of a record')]
  await writeStore([{ key, value }])
  flip(value, 3)
  const met = new Promise<KvCorruptionError>((resolve) => {
    const kv = openKv(folder, { onCorruption: resolve })
    onTestFinished(() => kv.close())
  })
  const reader = new Worker(
    moduleFile(new URL('../../test/support/kvReaderThread', import.meta.url)),
    { workerData: folder },
  )
  const answer = new Promise((resolve) => reader.once('message', resolve))
  reader.postMessage(key, [])
  expect(await answer).toMatch('does not match its checksum')
  expect(await met).toMatchObject({ table: 't', key, reason: 'does not match its checksum' })
  await reader.terminate()
})
