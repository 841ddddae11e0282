import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, modelChain } from '../../test/support/chainModel.ts'
import { sha256 } from '../base/sha256.ts'
import { openKv, type Kv } from '../store/kv.ts'
import { MIN_KEPT_BLOCKS } from './prune.ts'
import type { StateView } from '../evm/types.ts'
import { StateUnavailableError, type ChainReader } from '../chain/reader.ts'
import { openChainReader, openChainStore, type ChainStore } from './store.ts'
import { openChainTables, type ChainTables } from './tables.ts'

const OPTIONS = { chainId: 271828n, checkpointEvery: 7 }
const WINDOW = { states: 20, blocks: MIN_KEPT_BLOCKS }
const ACCOUNTS = 6
const LENGTH = 600

const BLOCKS = modelChain(3, LENGTH, ACCOUNTS)
const TIP = BLOCKS.length - 1

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-prune-'))
let whole: Kv
let pruned: Kv
/** The state of genesis as the pruned chain returned it before anything was pruned. */
let early: StateView
let all: ChainReader
let store: ChainStore
beforeAll(() => {
  whole = openKv(path.join(folder, 'whole'))
  pruned = openKv(path.join(folder, 'pruned'))
  all = append(openChainStore(whole, OPTIONS)).reader
  store = append(openChainStore(pruned, { ...OPTIONS, pruning: WINDOW }))
})
afterAll(async () => {
  await Promise.all([whole.close(), pruned.close()])
  fs.rmSync(folder, { recursive: true, force: true })
})

function append(chain: ChainStore): ChainStore {
  for (const block of BLOCKS)
    if (block.header.height === 0) {
      chain.initialise(block)
      early = chain.latest()
    } else chain.commit(chain.stage(block))
  return chain
}

const sizeOf = (tables: ChainTables, name: keyof ChainTables) =>
  Array.from(tables[name].range({})).length

test('inside the windows a pruned chain answers like a whole one, outside it says what is kept', async () => {
  const kept = store.reader
  const first = kept.earliestHeight()
  expect(first).toBeGreaterThan(TIP - 2 * MIN_KEPT_BLOCKS)
  expect(first).toBeLessThanOrEqual(TIP - MIN_KEPT_BLOCKS + 1)
  expect(store.genesis()).toEqual(all.header(0))

  for (let height = first; height <= TIP; height++) {
    expect(kept.header(height)).toEqual(all.header(height))
    expect(kept.receipts(height)).toEqual(all.receipts(height))
    for (const [index, transaction] of (all.transactions(height) ?? []).entries())
      expect(kept.findTransaction(transaction.hash)).toEqual({ height, index })
  }
  const everything = { addresses: [], topics: [] }
  expect([...kept.logs(0, TIP, everything)]).toEqual([...all.logs(first, TIP, everything)])

  for (let height = 1; height < first; height++) {
    expect(kept.header(height)).toBeUndefined()
    expect(kept.heightOfHash(all.header(height)?.hash ?? new Uint8Array(32))).toBeUndefined()
    for (const { raw, hash } of all.transactions(height) ?? []) {
      expect(kept.findTransaction(hash)).toBeUndefined()
      expect(kept.findDecided(sha256(raw))).toBeUndefined()
    }
  }
})

test('states and proofs of the window are those of a whole chain, older ones are refused', () => {
  for (let height = TIP - WINDOW.states + 1; height <= TIP; height++)
    for (let account = 0; account < ACCOUNTS; account++) {
      const address = addressOf(account)
      expect(store.reader.stateAt(height).account(address)).toEqual(
        all.stateAt(height).account(address),
      )
      expect(store.reader.proof(height, address, [])).toEqual(all.proof(height, address, []))
    }
  const pastWindow = TIP - WINDOW.states - 2 * MIN_KEPT_BLOCKS
  expect(() => store.reader.stateAt(pastWindow)).toThrow(StateUnavailableError)
  expect(() => store.reader.stateAt(pastWindow)).toThrow('is pruned: the earliest kept one is')
})

test('a view that pruning overtakes fails instead of telling later values', () => {
  expect(() => early.account(addressOf(0))).toThrow(StateUnavailableError)
})

test('what is pruned is gone from every table, and the chain opens again', () => {
  const [everything, kept] = [openChainTables(whole), openChainTables(pruned)]
  for (const name of [
    'headers',
    'transactions',
    'receipts',
    'logs',
    'changesets',
    'logIndex',
    'blockHashes',
    'transactionHashes',
    'accountHistory',
  ] as const)
    expect(sizeOf(kept, name)).toBeLessThan(sizeOf(everything, name) * 0.85)
  const again = openChainStore(pruned, { ...OPTIONS, pruning: WINDOW })
  expect(again.reader.latestHeight()).toBe(TIP)
  expect(openChainReader(pruned, OPTIONS).earliestHeight()).toBe(again.reader.earliestHeight())
})

test('a long chain that starts to prune gives up a few heights with each block', () => {
  const beginning = openChainStore(whole, { ...OPTIONS, pruning: WINDOW })
  expect(beginning.retainHeight()).toBe(16)
  expect(beginning.reader.earliestHeight()).toBe(0)
})
