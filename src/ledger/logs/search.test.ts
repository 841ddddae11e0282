import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { addressOf, createRandom, modelBlock } from '../../../test/support/chainModel.ts'
import { equalBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Log } from '../../evm/types.ts'
import { openKv, type Kv } from '../../store/kv.ts'
import type { KeyRange } from '../../store/kvTable.ts'
import { logAt } from '../blocks/logsRecord.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import type { BlockLogs, LogCriteria } from '../../chain/reader.ts'
import { openChainStore, type ChainStore } from '../store.ts'
import { openChainTables, readFact } from '../tables.ts'
import { searchLogs } from './search.ts'

let folder: string
let kv: Kv
let store: ChainStore
const random = createRandom(5)
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

/** A log with its position. */
type LocatedLog = Log & {
  readonly height: number
  readonly transactionHash: Uint8Array
  readonly transactionIndex: number
  readonly logIndex: number
}

function located({ header, record, places }: BlockLogs): LocatedLog[] {
  return places.map((place) => ({
    height: header.height,
    transactionHash: record.subarray(place.transactionHashAt, place.transactionHashAt + 32),
    transactionIndex: place.transactionIndex,
    logIndex: place.logIndex,
    ...logAt(record, place),
  }))
}

const isAnyOf = (value: Uint8Array | undefined, wanted: readonly Uint8Array[]): boolean =>
  value !== undefined && (wanted.length === 0 || wanted.some((one) => equalBytes(one, value)))

function matchesLog({ addresses, topics }: LogCriteria, log: Log): boolean {
  return (
    isAnyOf(log.address, addresses) &&
    topics.every((wanted, position) => isAnyOf(log.topics[position], wanted))
  )
}

/** All logs of the heights that match the criteria, found by a linear scan. */
function naive(first: number, last: number, criteria: LogCriteria): LocatedLog[] {
  const found: LocatedLog[] = []
  for (const { header, transactions, receipts } of blocks) {
    if (header.height < first || header.height > last) continue
    for (const [transactionIndex, { logs, firstLogIndex }] of receipts.entries())
      for (const [offset, log] of logs.entries())
        if (matchesLog(criteria, log))
          found.push({
            height: header.height,
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
      const logs = [...store.reader.logs(first, last, criteria)].flatMap(located)
      expect(logs).toEqual(naive(first, last, criteria))
      found += logs.length
    }
  expect(found).toBeGreaterThan(500)
})

test('a search is lazy: a caller that stops early reads no further', () => {
  const [first] = store.reader.logs(0, 529, { addresses: [], topics: [] })
  expect(first && located(first)[0]).toEqual(naive(0, 529, { addresses: [], topics: [] })[0])
})

test('a position beyond the topics of a log is not met, not even by any topic', () => {
  const any = [...store.reader.logs(0, 529, { addresses: [], topics: [[], [], [], []] })]
  for (const log of any.flatMap(located)) expect(log.topics).toHaveLength(4)
  const all = naive(0, 529, { addresses: [], topics: [] })
  expect(any.flatMap(located)).toHaveLength(all.filter(({ topics }) => topics.length === 4).length)
})

test('a store without the index is given it when it is opened, and finds the same', async () => {
  const criteria = { addresses: [addressOf(1)], topics: [[topic(0)]] }
  const before = [...store.reader.logs(0, 529, criteria)].flatMap(located)
  const tables = openChainTables(kv)
  const entries = Array.from(tables.logIndex.range({}))
  kv.write(() => {
    for (const { key } of entries) tables.logIndex.remove(key)
    for (const { key } of Array.from(tables.facts.range({})))
      if (Buffer.from(key).toString() === 'logsIndexed') tables.facts.remove(key)
  })
  expect([...store.reader.logs(0, 529, criteria)]).toEqual([])

  store = openChainStore(kv, { chainId: 1n })
  expect(readFact(tables, 'logsIndexed')).toBe(529)
  expect(Array.from(tables.logIndex.range({}))).toEqual(entries)
  expect([...store.reader.logs(0, 529, criteria)].flatMap(located)).toEqual(before)
})

test('a search reads as much as it finds, however many blocks it passes', () => {
  const tables = openChainTables(kv)
  let reads = 0
  const source = {
    index: {
      ...tables.logIndex,
      range: (range: KeyRange) => {
        const keys = Array.from(tables.logIndex.range(range))
        reads += 1 + keys.length
        return keys
      },
    },
    header: store.reader.header,
    logsRecord: () => {
      reads++
      return new Uint8Array(0)
    },
  }
  const rare = { addresses: [addressOf(1)], topics: [[topic(77)]] }
  expect([...searchLogs(source, 0, 10_000_000, rare)]).toEqual([])
  expect(reads).toBeLessThan(20)
})
