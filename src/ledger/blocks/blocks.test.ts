import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { sha256 } from '@noble/hashes/sha2.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRandom, modelBlock } from '../../../test/support/chainModel.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import type { Receipt } from '../../chain/receipt.ts'
import { openChainStore, type ChainStore } from '../store.ts'
import { findHashEntries, hashIndexKey, putHashEntry } from './hashIndex.ts'
import { logAt } from './logsRecord.ts'

let folder: string
let kv: Kv
let store: ChainStore
const random = createRandom(77)
const blocks: readonly ExecutedBlock[] = Array.from({ length: 30 }, (_, height) =>
  modelBlock(random, height, {
    effects: new Map(),
    transactions: height === 0 ? 0 : random(8),
  }),
)

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-blocks-'))
  kv = openKv(folder)
  store = openChainStore(kv, { chainId: 1n, sha256 })
  for (const block of blocks)
    if (block.header.height === 0) store.initialise(block)
    else store.commit(store.stage(block))
})
afterAll(async () => {
  await kv.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

test('blocks read back as they were committed', () => {
  for (const { header, transactions, receipts, decided } of blocks) {
    const { height } = header
    expect(store.reader.header(height)).toMatchObject(header)
    expect(store.reader.heightOfHash(header.hash)).toBe(height)
    expect(store.reader.transactions(height)).toEqual(transactions)
    expect(store.reader.receipts(height)).toEqual(receipts)
    expect(
      store.reader
        .decided(height)
        ?.map(({ raw, result, transactionIndex }) => ({ raw, result, transactionIndex })),
    ).toEqual(decided)
  }
  expect(store.reader.header(30)).toBeUndefined()
  expect(store.reader.transactions(30)).toBeUndefined()
  expect(store.reader.receipts(30)).toBeUndefined()
  expect(store.reader.decided(30)).toBeUndefined()
  expect(store.reader.heightOfHash(new Uint8Array(32))).toBeUndefined()
})

test('each transaction and receipt is read alone as it is read with its block', () => {
  for (const { header, transactions, receipts } of blocks) {
    const { height } = header
    expect(store.reader.transactionCount(height)).toBe(transactions.length)
    expect(store.reader.transactionHashes(height)).toEqual(transactions.map(({ hash }) => hash))
    for (const [index, transaction] of transactions.entries()) {
      expect(store.reader.transaction(height, index)).toEqual(transaction)
      const { logs, logsBloom: _, ...facts } = receipts[index] as Receipt
      const receipt = store.reader.receipt(height, index)
      expect(receipt).toMatchObject(facts)
      const { record, places } = receipt?.logs ?? { record: new Uint8Array(0), places: [] }
      expect(places.map((place) => logAt(record, place))).toEqual(logs)
      expect(places.map(({ logIndex, transactionIndex }) => [logIndex, transactionIndex])).toEqual(
        logs.map((_, offset) => [facts.firstLogIndex + offset, index]),
      )
    }
    expect(store.reader.transaction(height, transactions.length)).toBeUndefined()
    expect(store.reader.receipt(height, transactions.length)).toBeUndefined()
  }
  expect(store.reader.transactionCount(30)).toBeUndefined()
  expect(store.reader.transaction(30, 0)).toBeUndefined()
  expect(store.reader.receipt(30, 0)).toBeUndefined()
})

// Holds D21.
test('a transaction is found by both of its hashes, a refused one by its consensus hash alone', () => {
  let refused = 0
  for (const { header, transactions, decided } of blocks) {
    for (const [index, { hash }] of transactions.entries())
      expect(store.reader.findTransaction(hash)).toEqual({ height: header.height, index })
    for (const [index, { raw, transactionIndex }] of decided.entries()) {
      expect(store.reader.findDecided(sha256(raw))).toEqual({ height: header.height, index })
      expect(store.reader.findTransaction(sha256(raw))).toBeUndefined()
      if (transactionIndex === undefined) refused++
    }
  }
  expect(refused).toBeGreaterThan(0)
  expect(store.reader.findTransaction(new Uint8Array(32).fill(255))).toBeUndefined()
})

test('the start of a hash names no transaction, and does not search the index for one', () => {
  const table = kv.table('transactionHashes')
  for (const size of [0, 1, 7])
    expect([...findHashEntries(table, new Uint8Array(size))]).toEqual([])
})

test('hashes with the same start are told apart', () => {
  const table = kv.table('transactionHashes')
  const block = blocks.find(({ transactions }) => transactions.length > 0)
  const hash = block?.transactions[0]?.hash as Uint8Array
  const twin = hash.slice()
  twin[31] = (twin[31] as number) ^ 1
  kv.write(() => {
    putHashEntry(table, hashIndexKey(twin, 2, 0))
  })
  expect([...findHashEntries(table, hash)]).toHaveLength(2)
  expect(store.reader.findTransaction(hash)).toEqual({ height: block?.header.height, index: 0 })
  expect(store.reader.findTransaction(twin)).toBeUndefined()
})
