// Holds D86.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { equalBytes, utf8 } from '../base/bytes.ts'
import { openKv, type Kv } from './kv.ts'
import { migrateSchema, readSchemaVersion, UNSEALED_STEPS } from './schema.ts'
import { needsUpgrade, upgradeStore } from './upgrade.ts'

let folder: string
beforeEach(() => {
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-upgrade-'))
  onTestFinished(() => fs.rmSync(parent, { recursive: true, force: true }))
  folder = path.join(parent, 'chain')
})

const TABLES = ['accounts', 'headers', 'logIndex', 'empty']
const RECORDS = 300

function keyOf(i: number): Uint8Array {
  return utf8(`key ${i}`)
}

/** Values of many lengths: none, small ones, and some with pages of their own. */
function valueOf(i: number): Uint8Array {
  return new Uint8Array(i % 7 === 0 ? 0 : i * 29).fill(i)
}

/** Writes a store as a program of schema version 3 does. */
async function writeOldStore(version = 3): Promise<void> {
  const kv = openKv(folder, { isUnsealed: true })
  migrateSchema(kv, UNSEALED_STEPS.slice(0, version - 1))
  for (const name of TABLES) kv.table(name)
  kv.write(() => {
    for (const name of TABLES.slice(0, 3))
      for (let i = 0; i < RECORDS; i++) kv.table(name).put(keyOf(i), valueOf(i))
  })
  await kv.close()
}

function expectEverything(kv: Kv): void {
  expect(readSchemaVersion(kv)).toBe(4)
  expect([...kv.table('empty').range({})]).toEqual([])
  for (const name of TABLES.slice(0, 3)) {
    expect([...kv.table(name).range({})].length).toBe(RECORDS)
    for (let i = 0; i < RECORDS; i++)
      expect(equalBytes(kv.table(name).get(keyOf(i)) ?? utf8('nothing'), valueOf(i))).toBe(true)
  }
  expect([...kv.table('meta').range({})].length).toBe(1)
}

async function expectUpgraded(): Promise<void> {
  const kv = openKv(folder)
  expectEverything(kv)
  await kv.close()
  expect(fs.readdirSync(path.dirname(folder))).toEqual(['chain'])
}

test('a store without checksums is refused until it is upgraded, and then holds the same', async () => {
  await writeOldStore()
  expect(() => openKv(folder)).toThrow('the format of an older version')
  expect(() => openKv(folder, { readOnly: true })).toThrow('the format of an older version')
  const shares: number[] = []
  await upgradeStore(folder, { onProgress: (done) => shares.push(done), partSize: 20_000 })
  expect(shares.length).toBeGreaterThan(20)
  expect(shares).toEqual(shares.toSorted((a, b) => a - b))
  await expectUpgraded()
  expect(await needsUpgrade(folder)).toBe(false)
})

test('nothing happens to a new store, or to one that has checksums', async () => {
  await upgradeStore(folder)
  expect(fs.existsSync(folder)).toBe(false)
  const kv = openKv(folder)
  migrateSchema(kv)
  const table = kv.table('t')
  kv.write(() => table.put(keyOf(1), valueOf(1)))
  await kv.close()
  const before = fs.readFileSync(path.join(folder, 'data.mdb'))
  await upgradeStore(folder)
  expect(fs.readFileSync(path.join(folder, 'data.mdb')).equals(before)).toBe(true)
})

test('an upgrade that is stopped after any part resumes where it left off', async () => {
  await writeOldStore()
  let starts = 0
  let parts = 0
  for (let isDone = false; !isDone; starts++) {
    const stop = new AbortController()
    const onProgress = (): void => {
      if (++parts % 3 === 0) stop.abort(new Error('stopped'))
    }
    isDone = await upgradeStore(folder, {
      onProgress,
      signal: stop.signal,
      partSize: 200_000,
    }).then(
      () => true,
      (error: unknown) => {
        expect(error).toEqual(new Error('stopped'))
        // The store is still that of the older program.
        expect(() => openKv(folder)).toThrow('older version')
        return false
      },
    )
  }
  expect(starts).toBeGreaterThan(3)
  // Nothing was copied twice.
  expect(parts).toBeLessThan(starts * 3 + 3)
  await expectUpgraded()
})

test('a copy of an earlier state of the store is not continued', async () => {
  await writeOldStore()
  const stop = new AbortController()
  stop.abort(new Error('stopped'))
  await expect(upgradeStore(folder, { signal: stop.signal })).rejects.toThrow('stopped')
  // The older program has run once more.
  const old = openKv(folder, { isUnsealed: true })
  const accounts = old.table('accounts')
  old.write(() => {
    accounts.put(keyOf(0), utf8('changed'))
    accounts.remove(keyOf(1))
  })
  await old.close()
  await upgradeStore(folder)
  const kv = openKv(folder)
  expect(kv.table('accounts').get(keyOf(0))).toEqual(utf8('changed'))
  expect(kv.table('accounts').get(keyOf(1))).toBeUndefined()
  await kv.close()
})

test('a copy that was damaged, or a stray file in its place, is begun again', async () => {
  await writeOldStore()
  fs.mkdirSync(`${folder}.upgrade`)
  fs.writeFileSync(path.join(`${folder}.upgrade`, 'data.mdb'), 'not a store')
  await upgradeStore(folder)
  await expectUpgraded()
})

test('an upgrade ends before its last step with the store in place: the next start removes the rest', async () => {
  await writeOldStore()
  await upgradeStore(folder)
  fs.mkdirSync(`${folder}.upgrade`)
  await upgradeStore(folder)
  await expectUpgraded()
})

test('a store of version 2 loses what version 3 has no more', async () => {
  await writeOldStore(2)
  const old = openKv(folder, { isUnsealed: true })
  old.table('blooms')
  old.write(() => old.table('blooms').put(keyOf(1), valueOf(1)))
  await old.close()
  await upgradeStore(folder)
  const kv = openKv(folder)
  expect([...kv.table('blooms').range({})]).toEqual([])
  expectEverything(kv)
  await kv.close()
})
