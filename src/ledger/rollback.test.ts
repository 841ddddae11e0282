import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { addressOf, modelChain } from '../../test/support/chainModel.ts'
import { sha256 } from '../base/sha256.ts'
import { openKv, type Kv } from '../store/kv.ts'
import { rollbackBlock } from './rollback.ts'
import { openChainStore, type ChainStore } from './store.ts'
import { openChainTables } from './tables.ts'

const OPTIONS = { chainId: 271828n, checkpointEvery: 5 }
const ACCOUNTS = 6
const BLOCKS = modelChain(11, 520, ACCOUNTS)

function append(store: ChainStore, from: number, to: number): ChainStore {
  for (const block of BLOCKS.slice(from, to))
    if (block.header.height === 0) store.initialise(block)
    else store.commit(store.stage(block))
  return store
}

/** Everything in the store, except what depends on when the trie was written. */
function contents(kv: Kv): Record<string, readonly string[]> {
  const {
    accountTrie: _accounts,
    storageTrie: _storages,
    trieJournal: _journal,
    facts: _facts,
    ...tables
  } = openChainTables(kv)
  return Object.fromEntries(
    Object.entries(tables).map(([name, table]) => [
      name,
      Array.from(
        table.range({}),
        ({ key, value }) => Buffer.from(key).toString('hex') + Buffer.from(value).toString('hex'),
      ),
    ]),
  )
}

// Posting lists are written at block 256: both sides of it, and the block itself.
test.each([256, 257, 513])(
  'block %i rolled back leaves the store as it was before, and the chain goes on from there',
  async (tip) => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-rollback-'))
    const [short, long] = [openKv(path.join(folder, 'a')), openKv(path.join(folder, 'b'))]
    append(openChainStore(short, OPTIONS), 0, tip)
    append(openChainStore(long, OPTIONS), 0, tip + 1)
    const tables = openChainTables(long)
    long.write(() => rollbackBlock(tables, sha256))
    // Posting lists may be split elsewhere, and code stays: reads show whether they are right.
    const {
      codes: _codes,
      accountHistory: _history,
      slotHistory: _slots,
      ...flat
    } = contents(short)
    expect(contents(long)).toMatchObject(flat)
    const [expected, store] = [openChainStore(short, OPTIONS), openChainStore(long, OPTIONS)]
    expect(store.reader.header(tip - 1)).toEqual(expected.reader.header(tip - 1))
    for (let account = 0; account < ACCOUNTS; account++)
      for (let height = 0; height < tip; height += 17)
        expect(store.reader.stateAt(height).account(addressOf(account))).toEqual(
          expected.reader.stateAt(height).account(addressOf(account)),
        )
    append(store, tip, BLOCKS.length)
    await Promise.all([short.close(), long.close()])
    fs.rmSync(folder, { recursive: true, force: true })
  },
)

test('a chain without blocks has nothing to roll back', async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-rollback-'))
  const kv = openKv(folder)
  append(openChainStore(kv, OPTIONS), 0, 1)
  const tables = openChainTables(kv)
  expect(() => kv.write(() => rollbackBlock(tables, sha256))).toThrow('no block yet')
  await kv.close()
  fs.rmSync(folder, { recursive: true, force: true })
})
