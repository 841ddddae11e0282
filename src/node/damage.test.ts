// Holds D89.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openManualNode, writerTransaction } from '../../test/support/manualNode.ts'
import { completeHome } from '../cli/newHome.ts'
import { homePaths, type Home } from '../config/home.ts'
import { openChainTables, writeFact } from '../ledger/tables.ts'
import { openKv } from '../store/kv.ts'
import { scanStore } from '../store/pages/scanStore.ts'
import { checkHome } from './mend.ts'

const BLOCKS = 12
const PAGE = 4096

let home: Home
let file: string
beforeEach(async () => {
  home = homePaths(fs.mkdtempSync(path.join(os.tmpdir(), 'assay-damage-')))
  await completeHome(home)
  const node = openManualNode(home.folder)
  await node.engine.produceBlock()
  for (let nonce = 0; nonce < BLOCKS - 1; nonce++) {
    await node.pool.add(writerTransaction(nonce))
    await node.engine.produceBlock()
  }
  await node.stop()
  file = path.join(home.chainStore, 'data.mdb')
})
afterEach(() => fs.rmSync(home.folder, { recursive: true, force: true }))

const check = (repair = false) => checkHome(home, repair, () => undefined)

/** The page that table `name` begins with: the newest leaf with one of its keys is searched by content instead. */
function pagesWith(text: string): number[] {
  const bytes = fs.readFileSync(file)
  const found: number[] = []
  for (let page = 2; page * PAGE < bytes.length; page++)
    if (bytes.subarray(page * PAGE, (page + 1) * PAGE).includes(text)) found.push(page)
  return found
}

function overwrite(pages: readonly number[], content: Buffer): void {
  const handle = fs.openSync(file, 'r+')
  for (const page of pages) fs.writeSync(handle, content, 0, PAGE, page * PAGE)
  fs.closeSync(handle)
}

test('a list of tables that is all zeros is named, and is beyond repair without the decided blocks', async () => {
  overwrite(pagesWith('accountTrie'), Buffer.alloc(PAGE))
  const { faults } = await check()
  expect(faults).toEqual([
    expect.stringMatching(
      /^the store's file is damaged: page \d+ is all zeros \(the list of tables\)$/,
    ),
  ])
  await expect(check(true)).rejects.toThrow('the store is damaged')
  expect(fs.existsSync(`${home.chainStore}.salvaged`)).toBe(false)
})

test('every page is named when it is noise, and repaired when it does not hold decided data', async () => {
  const whole = fs.readFileSync(file)
  const sound = await check()
  expect(sound.faults).toEqual([])
  let [repaired, beyond, unused] = [0, 0, 0]
  for (let page = 2; page * PAGE < whole.length; page += 1) {
    fs.rmSync(home.chainStore, { recursive: true })
    fs.mkdirSync(home.chainStore)
    fs.writeFileSync(file, whole)
    overwrite([page], Buffer.alloc(PAGE, 0xa5))
    const { faults } = await check()
    if (faults.length === 0) {
      unused++
      continue
    }
    const outcome = await check(true).catch((error: unknown) => String(error))
    if (typeof outcome === 'string') {
      expect(outcome).toContain('the store is damaged')
      beyond++
      continue
    }
    expect(outcome.damagedStore).toBeDefined()
    expect((await check()).faults, `page ${page}`).toEqual([])
    fs.rmSync(outcome.damagedStore ?? '', { recursive: true })
    repaired++
  }
  expect(repaired).toBeGreaterThan(10)
  expect(beyond).toBeGreaterThan(0)
  expect(unused).toBeGreaterThan(0)
})

test('a file that is cut is named and repaired, or said to be beyond repair', async () => {
  const whole = fs.readFileSync(file)
  for (const share of [0.95, 0.5, 0.1, 0]) {
    fs.writeFileSync(file, whole.subarray(0, Math.floor(whole.length * share)))
    const faults = await check().then(
      (report) => report.faults,
      (error: unknown) => [String(error)],
    )
    expect(faults.length, `${share}`).toBeGreaterThan(0)
  }
})

test('the lost trie of a pruned chain is made again from its state', async () => {
  const kv = openKv(home.chainStore)
  const tables = openChainTables(kv)
  // What pruning leaves: re-execution is impossible.
  kv.write(() => writeFact(tables, 'earliest', 1))
  await kv.close()
  const whole = fs.readFileSync(file)
  const leaf = (table: string): number => {
    const found: number[] = []
    scanStore(home.chainStore, {
      onRecord(name, key, value) {
        if (name === table) found.push(pageOf(whole, key, value))
      },
    })
    return found[Math.floor(found.length / 2)] ?? 0
  }
  for (const table of ['accountTrie', 'storageTrie']) {
    fs.writeFileSync(file, whole)
    overwrite([leaf(table)], Buffer.alloc(PAGE))
    const { faults } = await check()
    expect(faults[0]).toContain(`table ${table} is damaged`)
    const { damagedStore } = await check(true)
    expect(damagedStore).toBeDefined()
    expect((await check()).faults).toEqual([])
    fs.rmSync(home.chainStore, { recursive: true })
    fs.renameSync(damagedStore ?? '', home.chainStore)
  }
})

/** The page in use that holds a record: the last one written, as older copies may be left in free pages. */
function pageOf(bytes: Buffer, key: Uint8Array, value: Uint8Array): number {
  const record = Buffer.concat([key, value])
  let [page, newest] = [0, -1n]
  for (let at = bytes.indexOf(record); at >= 0; at = bytes.indexOf(record, at + 1)) {
    const candidate = Math.floor(at / PAGE)
    const transaction = bytes.readBigUInt64LE(candidate * PAGE + 8)
    if (transaction > newest) [page, newest] = [candidate, transaction]
  }
  return page
}
