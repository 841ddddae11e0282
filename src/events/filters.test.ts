import { expect, test } from 'vitest'
import { createMemoryChain, type MemoryChain } from '../../test/support/memoryChain.ts'
import { createMemoryPool } from '../../test/support/memoryPool.ts'
import { CONTRACT, TOPIC, transactionByAlice } from '../../test/support/rpcNode.ts'
import { createFilterRegistry, type FilterOptions, type FilterRegistry } from './filters.ts'

type World = {
  readonly filters: FilterRegistry
  readonly chain: MemoryChain
  /** Advances the clock. */
  pass(milliseconds: number): void
}

function createWorld(options: Partial<FilterOptions> = {}): World {
  let now = 0
  const chain = createMemoryChain()
  const filters = createFilterRegistry(
    { chain, pool: createMemoryPool() },
    {
      idleMs: 300_000,
      capacity: 3,
      logsPerPoll: 100,
      signal: new AbortController().signal,
      now: () => now,
      ...options,
    },
  )
  return {
    filters,
    chain,
    pass(milliseconds) {
      now += milliseconds
    },
  }
}

function install(filters: FilterRegistry, client = 'a'): string {
  return filters.install({ type: 'blocks' }, client)
}

/** A block with one transaction that emits `count` logs. */
function appendLogs(chain: MemoryChain, count: number): void {
  const log = { address: CONTRACT, topics: [TOPIC], data: new Uint8Array(0) }
  chain.append([
    { transaction: transactionByAlice(), logs: Array.from({ length: count }, () => log) },
  ])
}

test('a filter that nobody polls for five minutes is gone', () => {
  const { filters, pass } = createWorld()
  const id = install(filters)
  pass(300_000)
  expect(filters.find(id)).toBeDefined()
  pass(300_001)
  expect(filters.find(id)).toBeUndefined()
  expect(filters.uninstall(id)).toBe(false)
})

test('polling keeps a filter alive', () => {
  const { filters, pass } = createWorld()
  const id = install(filters)
  for (let poll = 0; poll < 5; poll++) {
    pass(200_000)
    expect(filters.changes(id)).toEqual({ type: 'hashes', hashes: [] })
  }
})

// Holds D82.
test('a client that takes all filters loses its own, and nobody else loses any', () => {
  const { filters, pass } = createWorld({ capacity: 10 })
  const honest = install(filters, 'honest')
  const flood: string[] = []
  for (let count = 0; count < 100; count++) {
    pass(1)
    flood.push(install(filters, 'greedy'))
  }
  expect(flood.filter((id) => filters.find(id) !== undefined)).toEqual(flood.slice(-9))
  const others = ['b', 'c', 'd'].map((client) => install(filters, client))
  for (const id of [honest, ...others]) expect(filters.find(id)).toBeDefined()
  expect(flood.filter((id) => filters.find(id) !== undefined)).toHaveLength(6)
})

test('among the filters of a client, the least recently used one gives way', () => {
  const { filters, pass } = createWorld()
  const [first, second, third] = [install(filters), install(filters), install(filters)]
  for (const id of [second, first]) {
    pass(1)
    filters.changes(id)
  }
  const fourth = install(filters)
  expect([first, second, third, fourth].map((id) => filters.find(id) !== undefined)).toEqual([
    true,
    true,
    false,
    true,
  ])
})

test('idle filters give way before any other', () => {
  const { filters, pass } = createWorld()
  const idle = install(filters, 'idle')
  pass(200_000)
  const used = [install(filters), install(filters)]
  pass(100_001)
  install(filters, 'new')
  expect(filters.find(idle)).toBeUndefined()
  for (const id of used) expect(filters.find(id)).toBeDefined()
})

test('many new logs come in whole blocks over several polls, none lost and none twice', () => {
  const { filters, chain } = createWorld({ logsPerPoll: 4 })
  const query = {
    blocks: { from: 'latest', to: 'latest' },
    criteria: { addresses: [], topics: [] },
  } as const
  const id = filters.install({ type: 'logs', query }, 'a')
  for (const count of [3, 3, 0, 9, 1]) appendLogs(chain, count)
  const polls = Array.from({ length: 4 }, () => {
    const changes = filters.changes(id)
    return changes?.type === 'logs'
      ? changes.logs.flatMap(({ header, places }) => places.map(() => header.height))
      : undefined
  })
  expect(polls).toEqual([[1, 1, 1, 2, 2, 2], [4, 4, 4, 4, 4, 4, 4, 4, 4], [5], []])
})

test('ids are not guessable from each other', () => {
  const { filters } = createWorld()
  const ids = [install(filters), install(filters), install(filters)]
  expect(new Set(ids).size).toBe(3)
  for (const id of ids) expect(id).toMatch(/^0x[0-9a-f]{32}$/)
})
