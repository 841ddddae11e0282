// Holds D87.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createRandom, modelBlock } from '../../../test/support/chainModel.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { openKv } from '../../store/kv.ts'
import { KvCorruptionError } from '../../store/kvError.ts'
import type { ChainReader } from '../../chain/reader.ts'
import { openChainReader, openChainStore } from '../store.ts'
import { openChainTables, type ChainTables } from '../tables.ts'
import { heightKey } from './heightKey.ts'

const TIP = 6
const HEIGHT = 4

let folder: string
let header: BlockHeader
beforeEach(async () => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-presence-'))
  onTestFinished(() => fs.rmSync(folder, { recursive: true, force: true }))
  const random = createRandom(21)
  const kv = openKv(folder)
  const store = openChainStore(kv, { chainId: 1n })
  for (let height = 0; height <= TIP; height++) {
    const transactions = height === 0 ? 0 : 5
    const block = modelBlock(random, height, { effects: new Map(), transactions })
    if (height === 0) store.initialise(block)
    else store.commit(store.stage(block))
    if (height === HEIGHT) header = store.reader.header(height) as BlockHeader
  }
  await kv.close()
})

/** A reader of the chain without one record of a block, and with the whole rest, checksums included. */
async function readerWithout(table: keyof ChainTables): Promise<ChainReader> {
  const kv = openKv(folder)
  onTestFinished(() => kv.close())
  const tables = openChainTables(kv)
  kv.write(() => tables[table].remove(heightKey(HEIGHT)))
  return openChainReader(kv, { chainId: 1n })
}

type Reads = readonly (readonly [method: string, read: (reader: ChainReader) => unknown])[]

const TRANSACTIONS: Reads = [
  ['transactions', (reader) => reader.transactions(HEIGHT)],
  ['transactionCount', (reader) => reader.transactionCount(HEIGHT)],
  ['transaction', (reader) => reader.transaction(HEIGHT, 0)],
  ['transactionHashes', (reader) => reader.transactionHashes(HEIGHT)],
  ['decided', (reader) => reader.decided(HEIGHT)],
]

const READS: readonly (readonly [keyof ChainTables, Reads])[] = [
  ['headers', [['header', (reader) => reader.header(HEIGHT)]]],
  ['transactions', TRANSACTIONS],
  [
    'receipts',
    [
      ['receipts', (reader) => reader.receipts(HEIGHT)],
      ['receipt', (reader) => reader.receipt(HEIGHT, 0)],
    ],
  ],
  ['logs', [['receipts', (reader) => reader.receipts(HEIGHT)]]],
]

for (const [table, reads] of READS)
  for (const [method, read] of reads)
    test(`${method} of a block that lost its record of ${table} is refused, and not empty`, async () => {
      expect(header.logsBloom.some((byte) => byte !== 0)).toBe(true)
      const reader = await readerWithout(table)
      expect(() => read(reader)).toThrow(KvCorruptionError)
      expect(() => read(reader)).toThrow(`record 0x000000000004 of table ${table} is missing`)
    })

test('blocks that do not exist yet are not missing', async () => {
  const reader = await readerWithout('changesets')
  expect(reader.header(TIP + 1)).toBeUndefined()
  expect(reader.transactions(TIP + 1)).toBeUndefined()
})
