// Holds D88.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createRandom, modelChain } from '../../../test/support/chainModel.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import { recoverStateTrie } from '../state/recover.ts'
import { openChainStore } from '../store.ts'
import { openChainTables, readFact, type ChainTables } from '../tables.ts'
import type { StateTrie } from '../trie/stateTrie.ts'
import { findFlatFaults, type FlatFault } from './flatFaults.ts'
import { repairFlat } from './repairFlat.ts'
import { repairTrie } from './repairTrie.ts'

const ACCOUNTS = 40
const BLOCKS = modelChain(11, 60, ACCOUNTS)
const OPTIONS = { chainId: 1n, checkpointEvery: 5 }

let kv: Kv
let tables: ChainTables
beforeEach(async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-mend-'))
  kv = openKv(folder)
  onTestFinished(async () => {
    await kv.close()
    fs.rmSync(folder, { recursive: true, force: true })
  })
  const store = openChainStore(kv, OPTIONS)
  for (const block of BLOCKS)
    if (block.header.height === 0) store.initialise(block)
    else store.commit(store.stage(block))
  tables = openChainTables(kv)
})

function trieOf(): StateTrie {
  return recoverStateTrie(kv, tables, readFact(tables, 'tip') ?? 0)
}

function faultsOf(trie = trieOf()): FlatFault[] {
  const faults: FlatFault[] = []
  findFlatFaults(tables, trie, (fault) => faults.push(fault))
  return faults
}

const contents = (): unknown =>
  [tables.accounts, tables.slots].map((table) =>
    Array.from(table.range({}), ({ key, value }) => [...key, -1, ...value]),
  )

test('a sound state has no faults, and nothing of it is mended', () => {
  const before = contents()
  expect(faultsOf()).toEqual([])
  expect(repairFlat(kv, tables, trieOf())).toBe(0)
  expect(contents()).toEqual(before)
})

test('accounts and slots that are missing, wrong or too many are named, and come back from the trie', () => {
  const before = contents()
  // Recovered while the state was sound: what blocks after the checkpoint changed is read from it.
  const trie = trieOf()
  const random = createRandom(3)
  let changed = 0
  kv.write(() => {
    for (const table of [tables.accounts, tables.slots]) {
      const records = Array.from(table.range({}))
      for (const { key, value } of records) {
        const what = random(4)
        if (what === 0) continue
        changed++
        if (what === 1) table.remove(key)
        if (what === 2)
          table.put(
            key,
            records[0]?.key === key ? Uint8Array.of(0, 0, 1, 7) : (records[0]?.value as Uint8Array),
          )
        if (what === 3)
          table.put(
            Uint8Array.from(key, (byte) => byte ^ 255),
            value,
          )
      }
    }
  })
  const faults = faultsOf(trie)
  expect(faults.length).toBeGreaterThan(changed / 4)
  expect(faults).toContainEqual(
    expect.objectContaining({
      table: 'slots',
      key: undefined,
      reason: expect.stringContaining('that the state trie has') as string,
    }),
  )
  expect(repairFlat(kv, tables, trie)).toBeGreaterThan(changed / 2)
  expect(contents()).toEqual(before)
  expect(faultsOf()).toEqual([])
})

test('a trie that lost records is built again from the flat state', async () => {
  const root = trieOf().stateRoot()
  kv.write(() => {
    for (const table of [tables.accountTrie, tables.storageTrie])
      for (const [index, { key, value }] of Array.from(table.range({})).entries())
        if (index % 3 === 0) table.remove(key)
        else if (index % 3 === 1) table.put(key, value.slice(1))
  })
  expect(() => trieOf()).toThrow()
  await repairTrie(kv, tables)
  expect(trieOf().stateRoot()).toEqual(root)
  expect(faultsOf()).toEqual([])
  expect(openChainStore(kv, OPTIONS).isEmpty()).toBe(false)
})

test('a trie is not built from a flat state that is itself damaged', async () => {
  const [first] = tables.slots.range({ limit: 1 })
  kv.write(() => tables.slots.remove(first?.key as Uint8Array))
  await expect(repairTrie(kv, tables)).rejects.toThrow('does not have its root')
})
