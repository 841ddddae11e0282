import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, createRandom, modelBlock } from '../../../test/support/chainModel.ts'
import { keccak256 } from '../../base/keccak.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import type { ExecutedBlock } from '../executed.ts'
import type { LocatedLog, LogCriteria } from '../reader.ts'
import { openChainStore, type ChainStore } from '../store.ts'
import { matchesLog } from './criteria.ts'

let folder: string
let kv: Kv
let store: ChainStore
const random = createRandom(5)
// Two stored sections of blooms and a part of a third.
const blocks: readonly ExecutedBlock[] = Array.from({ length: 530 }, (_, height) =>
  modelBlock(random, height, {
    effects: new Map(),
    transactions: height > 0 && random(3) === 0 ? 1 + random(2) : 0,
  }),
)

beforeAll(() => {
  folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-logs-'))
  kv = openKv(folder)
  store = openChainStore(kv, { chainId: 1n })
  kv.write(() => store.initialise(blocks[0] as ExecutedBlock))
  for (const block of blocks.slice(1)) store.commit(store.stage(block))
})
afterAll(async () => {
  await kv.close()
  fs.rmSync(folder, { recursive: true, force: true })
})

/** All logs of the heights that meet the criteria, found by looking at each. */
function naive(first: number, last: number, criteria: LogCriteria): LocatedLog[] {
  const found: LocatedLog[] = []
  for (const { header, transactions, receipts } of blocks) {
    if (header.height < first || header.height > last) continue
    for (const [transactionIndex, { logs, firstLogIndex }] of receipts.entries())
      for (const [offset, log] of logs.entries())
        if (matchesLog(criteria, log))
          found.push({
            height: header.height,
            blockHash: header.hash,
            timeNs: header.timeNs,
            transactionHash: transactions[transactionIndex]?.hash as Uint8Array,
            transactionIndex,
            logIndex: firstLogIndex + offset,
            ...log,
          })
  }
  return found
}

const topic = (n: number): Uint8Array => keccak256(Uint8Array.of(n))
const CRITERIA: readonly LogCriteria[] = [
  { addresses: [], topics: [] },
  { addresses: [addressOf(1)], topics: [] },
  { addresses: [addressOf(1), addressOf(4)], topics: [[topic(0)]] },
  { addresses: [], topics: [[], [topic(2), topic(3)]] },
  { addresses: [addressOf(2)], topics: [[topic(1)], [], [topic(4)]] },
  { addresses: [addressOf(99)], topics: [] },
  { addresses: [], topics: [[topic(77)]] },
]
const RANGES = [
  [0, 529],
  [0, 0],
  [255, 256],
  [200, 400],
  [512, 529],
  [500, 10_000],
  [400, 300],
] as const

test('a search finds what a naive scan finds, in order', () => {
  let found = 0
  for (const [first, last] of RANGES)
    for (const criteria of CRITERIA) {
      const logs = [...store.reader.logs(first, last, criteria)]
      expect(logs).toEqual(naive(first, last, criteria))
      found += logs.length
    }
  expect(found).toBeGreaterThan(500)
})

test('a search is lazy: a caller that stops early reads no further', () => {
  const [first] = store.reader.logs(0, 529, { addresses: [], topics: [] })
  expect(first).toEqual(naive(0, 529, { addresses: [], topics: [] })[0])
})

test('a position beyond the topics of a log is not met, not even by any topic', () => {
  const log = { address: addressOf(0), topics: [topic(1)], data: new Uint8Array(0) }
  expect(matchesLog({ addresses: [], topics: [[]] }, log)).toBe(true)
  expect(matchesLog({ addresses: [], topics: [[], []] }, log)).toBe(false)
})
