// Holds D86.
/**
 * A store of an older version, whose upgrade is killed at random points until one comes through: after each, the store is
 * the old one or the new one, with the same contents (D86). ASSAY_TORTURE_RUNS says how many kills, ASSAY_TORTURE_SEED
 * repeats a sequence.
 */
import { fork } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { moduleFile } from '../../src/base/moduleFile.ts'
import { openKv } from '../../src/store/kv.ts'
import { migrateSchema, readSchemaVersion, UNSEALED_STEPS } from '../../src/store/schema.ts'
import { needsUpgrade } from '../../src/store/upgrade.ts'
import { createRandom } from './random.ts'

const KILLS = Number(process.env['ASSAY_TORTURE_RUNS'] ?? 15)
const SEED = Number(process.env['ASSAY_TORTURE_SEED'] ?? Date.now())

const program = fileURLToPath(moduleFile(new URL('../support/upgradeProcess', import.meta.url)))

const TABLES = ['accounts', 'slots', 'headers', 'transactionHashes']

/** Writes a store of schema version 3: small and large values, and such without any. */
async function writeOldStore(folder: string, random: (limit: number) => number): Promise<void> {
  const kv = openKv(folder, { isUnsealed: true })
  migrateSchema(kv, UNSEALED_STEPS)
  for (const name of TABLES) {
    const table = kv.table(name)
    kv.write(() => {
      for (let i = 0; i < 1500; i++) {
        const key = createHash('sha256').update(`${name} ${i}`).digest()
        const size = i % 50 === 0 ? random(20_000) : random(120)
        table.put(key, new Uint8Array(name === 'transactionHashes' ? 0 : size).fill(i))
      }
    })
  }
  await kv.close()
}

/** A hash of everything in the store. */
async function contentsOf(folder: string): Promise<string> {
  const kv = openKv(folder, { isUnsealed: await needsUpgrade(folder) })
  const hash = createHash('sha256')
  for (const name of TABLES)
    for (const { key, value } of kv.table(name).range({}))
      hash.update(`${name} ${key.length} ${value.length}`).update(key).update(value)
  await kv.close()
  return hash.digest('hex')
}

/** Runs an upgrade, and kills it when it has reported so many parts. Whether it came through. */
async function upgrade(folder: string, parts: number, afterMs: number): Promise<boolean> {
  const child = fork(program, [folder])
  let left = parts
  const kill = (): void => void setTimeout(() => child.kill('SIGKILL'), afterMs)
  if (left === 0) child.once('spawn', kill)
  child.on('message', () => {
    left--
    if (left === 0) kill()
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  expect([0, null]).toContain(code)
  return code === 0
}

test(`an upgrade that is killed anywhere loses nothing (seed ${SEED})`, async () => {
  const next = createRandom(SEED)
  const random = (limit: number): number => Math.floor(next() * limit)
  const parent = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-upgrade-'))
  onTestFinished(() => fs.rmSync(parent, { recursive: true, force: true }))
  const folder = path.join(parent, 'chain')
  let kills = 0
  let rounds = 0
  while (kills < KILLS) {
    fs.rmSync(folder, { recursive: true, force: true })
    await writeOldStore(folder, random)
    const before = await contentsOf(folder)
    for (let isThrough = false; !isThrough;) {
      isThrough = await upgrade(folder, random(14), random(12))
      if (!isThrough) kills++
      expect(await contentsOf(folder)).toBe(before)
    }
    expect(await needsUpgrade(folder)).toBe(false)
    const kv = openKv(folder)
    expect(readSchemaVersion(kv)).toBe(4)
    await kv.close()
    expect(fs.readdirSync(parent)).toEqual(['chain'])
    rounds++
  }
  expect(rounds).toBeGreaterThan(0)
})
