// Holds D89.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openKv } from '../kv.ts'
import { unsealRecord } from '../seal.ts'
import { scanStore } from './scanStore.ts'

let folder: string
let whole: Buffer
const PAGE = 4096
beforeAll(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-scan-'))
  const kv = openKv(folder)
  const [first, second] = [kv.table('first'), kv.table('second')]
  const key = (i: number) => Uint8Array.of(i >> 8, i & 255)
  for (let round = 0; round < 20; round++)
    kv.write(() => {
      for (let i = 0; i < 40; i++) first.put(key(round * 40 + i), new Uint8Array(50).fill(i))
      second.put(key(round), new Uint8Array(9000 + round * 500).fill(round))
      if (round % 3 === 2) second.remove(key(round - 1))
      first.remove(key(round))
    })
  await kv.close()
  whole = fs.readFileSync(path.join(folder, 'data.mdb'))
})
afterAll(() => fs.rmSync(folder, { recursive: true, force: true }))

const write = (bytes: Buffer) => fs.writeFileSync(path.join(folder, 'data.mdb'), bytes)

/** Everything that LMDB reads from the whole file. */
async function contents(): Promise<Map<string, string>> {
  write(whole)
  const kv = openKv(folder, { readOnly: true })
  const found = new Map<string, string>()
  for (const name of ['first', 'second'])
    for (const { key, value } of kv.table(name).range({}))
      found.set(`${name} ${Buffer.from(key).toString('hex')}`, Buffer.from(value).toString('hex'))
  await kv.close()
  return found
}

function scanned() {
  const found = new Map<string, string>()
  const { faults } = scanStore(folder, {
    onRecord: (name, key, value) =>
      found.set(
        `${name} ${Buffer.from(key).toString('hex')}`,
        Buffer.from(unsealRecord(name, key, value)).toString('hex'),
      ),
  })
  return { found, faults }
}

test('a whole file has no fault, and the records that LMDB reads', async () => {
  const expected = await contents()
  const { found, faults } = scanned()
  expect(faults).toEqual([])
  expect(found).toEqual(expected)
})

test('a page of zeros, a page from elsewhere and swapped pages are named, or nothing uses them', async () => {
  const expected = await contents()
  const pages = Math.floor(whole.length / PAGE)
  let named = 0
  for (let page = 2; page < pages; page++) {
    const other = 2 + ((page * 7) % (pages - 2))
    const zeros = Buffer.from(whole)
    zeros.fill(0, page * PAGE, (page + 1) * PAGE)
    const copied = Buffer.from(whole)
    whole.copy(copied, page * PAGE, other * PAGE, (other + 1) * PAGE)
    for (const bytes of [zeros, copied]) {
      write(bytes)
      const { found, faults } = scanned()
      if (faults.length > 0) named++
      else if (!bytes.equals(whole)) expectSame(found, expected, page)
    }
  }
  expect(named).toBeGreaterThan(40)
})

function expectSame(found: Map<string, string>, expected: Map<string, string>, page: number) {
  // The later pages of a large value have no header: what is in them, the record's checksum holds.
  for (const key of found.keys()) expect(expected.has(key), `page ${page}, ${key}`).toBe(true)
  expect(found.size).toBe(expected.size)
}

test('a flipped bit of any header of a page ends with faults or with the same keys, never with an error', async () => {
  const expected = await contents()
  const pages = Math.floor(whole.length / PAGE)
  for (let page = 0; page < pages; page++)
    for (let bit = 0; bit < 24 * 8; bit += 61) {
      const bytes = Buffer.from(whole)
      const at = page * PAGE + (bit >> 3)
      bytes[at] = (bytes[at] ?? 0) ^ (1 << (bit & 7))
      write(bytes)
      const { found, faults } = scanned()
      if (faults.length === 0) expectSame(found, expected, page)
    }
})

test('a file that is cut anywhere is named', () => {
  for (let size = whole.length - PAGE; size >= 0; size -= 3 * PAGE + 17) {
    write(whole.subarray(0, size))
    const { faults } = scanned()
    expect(faults.length, `${size} of ${whole.length} bytes`).toBeGreaterThan(0)
  }
})

test('noise is not a store', () => {
  write(Buffer.alloc(30_000, 0x5a))
  expect(scanStore(folder).faults).toEqual([
    { table: undefined, reason: 'data.mdb does not begin as a file of LMDB' },
  ])
})
