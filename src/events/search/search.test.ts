import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createKvstore } from '../../../test/support/kvstoreApplication.ts'
import { EMPTY_BYTES } from '../../base/bytes.ts'
import type { ApplicationEvent, ExecTxResult } from '../../consensus/application.ts'
import { ConsensusError } from '../../consensus/engine.ts'
import type { EventIndex } from '../../consensus/eventIndex.ts'
import { parseQuery } from '../query/parser.ts'
import type { Condition, Query } from '../query/query.ts'
import { searchBlocks } from './blocks.ts'
import { createSearchBudget } from './budget.ts'
import { searchTransactions, type TransactionSource } from './transactions.ts'

type Chain = readonly (readonly (readonly ApplicationEvent[])[])[]

const result = (events: readonly ApplicationEvent[]): ExecTxResult => ({
  code: 0,
  data: EMPTY_BYTES,
  log: '',
  info: '',
  gasWanted: 0n,
  gasUsed: 0n,
  codespace: '',
  events,
})

/** An index over blocks 1, 2, … given by the events of their transactions. */
function indexOf(chain: Chain): EventIndex {
  const heights = (first: number, last: number) =>
    chain.flatMap((txs, at) =>
      at + 1 >= first && at + 1 <= last && txs.length > 0 ? [{ height: at + 1, txs }] : [],
    )
  return {
    isTransactionTag: () => true,
    isBlockTag: () => true,
    find: (tag, value, { first, last }, limit) =>
      heights(first, last)
        .slice(0, limit)
        .map(({ height, txs }) => ({
          height,
          indexes: txs.flatMap((events, index) =>
            events.some(({ type, attributes }) =>
              attributes.some(
                (each) => each.index && `${type}.${each.key}` === tag && each.value === value,
              ),
            )
              ? [index]
              : [],
          ),
        })),
    blocks: ({ first, last }, limit) =>
      heights(first, last)
        .slice(0, limit)
        .map(({ height, txs }) => ({ height, indexes: txs.map((_, index) => index) })),
    transaction(height, index) {
      const events = chain[height - 1]?.[index]
      return events && { tx: EMPTY_BYTES, result: result(events) }
    },
  }
}

const sourceOf = (chain: Chain): TransactionSource => ({
  index: indexOf(chain),
  findTransaction: () => undefined,
  range: { first: 1, last: chain.length },
})

const budget = () => createSearchBudget(new AbortController().signal)

async function find(chain: Chain, query: string): Promise<readonly string[]> {
  const places = await searchTransactions(sourceOf(chain), parseQuery(query), budget())
  return places.map(({ height, index }) => `${height}/${index}`)
}

/**
 * CometBFT's algorithm, naively: each condition finds pairs of transaction and event over all indexed attributes, the
 * pairs are intersected, and a height only restricts them.
 */
function modelOf(chain: Chain, query: Query): readonly string[] {
  const rows = chain.flatMap((txs, at) =>
    txs.flatMap((events, index) => [
      {
        place: `${at + 1}/${index}`,
        height: at + 1,
        event: 0,
        tag: 'tx.height',
        value: `${at + 1}`,
      },
      ...events.flatMap(({ type, attributes }, event) =>
        attributes
          .filter((each) => each.index && type !== '' && each.key !== '')
          .map(({ key, value }) => ({
            place: `${at + 1}/${index}`,
            height: at + 1,
            event: event + 1,
            tag: `${type}.${key}`,
            value,
          })),
      ),
    ]),
  )
  const isRange = ({ operator }: Condition) => /[<>]/.test(operator)
  const holds = ({ operator, operand }: Condition, value: string): boolean => {
    const [a, b] = [Number(value), Number(operand?.text)]
    if (operator === 'EXISTS') return true
    if (operator === '=') return value === operand?.text
    if (operator === 'CONTAINS') return value.includes(operand?.text ?? '')
    if (!/^\d+(?:\.\d*)?$/.test(value) || operand?.kind !== 'number') return false
    if (operator === '<') return a < b
    if (operator === '<=') return a <= b
    return operator === '>' ? a > b : a >= b
  }
  const onHeight = query.filter(({ tag }) => tag === 'tx.height')
  const heights = onHeight.some(isRange) ? onHeight.filter(isRange) : onHeight.slice(0, 1)
  const isWithin = (height: number) => heights.every((each) => holds(each, String(height)))
  const others = query.filter(({ tag }) => tag !== 'tx.height')
  if (others.length === 0)
    return rows
      .filter(({ tag, height }) => tag === 'tx.height' && isWithin(height))
      .map(({ place }) => place)

  const found = (conditions: Query) =>
    new Set(
      rows
        .filter(({ tag, value, height }) => {
          const [first] = conditions
          return (
            tag === first?.tag && isWithin(height) && conditions.every((each) => holds(each, value))
          )
        })
        .map(({ place, event }) => `${place}#${event}`),
    )
  const tags = [...new Set(others.filter(isRange).map(({ tag }) => tag))]
  const sets = [
    ...tags.map((tag) => found(others.filter((each) => isRange(each) && each.tag === tag))),
    ...others.filter((each) => !isRange(each)).map((each) => found([each])),
  ]
  const [first, ...rest] = sets
  const pairs = [...(first ?? [])].filter((pair) => rest.every((set) => set.has(pair)))
  return [...new Set(pairs.map((pair) => pair.split('#')[0] ?? ''))].sort(byPlace)
}

function byPlace(a: string, b: string): number {
  const [left = [], right = []] = [a, b].map((place) => place.split('/').map(Number))
  return (left[0] ?? 0) - (right[0] ?? 0) || (left[1] ?? 0) - (right[1] ?? 0)
}

const key = fc.constantFrom('a', 'b')
const value = fc.constantFrom('1', '2', '3', '2.5', 'x', 'xy', '3atom')
const attribute = fc.record({ key, value, index: fc.boolean() })
const event = fc.record({
  type: fc.constantFrom('app', 'bank', ''),
  attributes: fc.array(attribute, { maxLength: 3 }),
})
const chain = fc.array(fc.array(fc.array(event, { maxLength: 3 }), { maxLength: 4 }), {
  maxLength: 6,
})
const tag = fc.constantFrom('app.a', 'app.b', 'bank.a')
const number = fc.constantFrom('1', '2', '2.5', '3')
const condition = fc.oneof(
  fc.tuple(tag, fc.constantFrom('<', '<=', '>', '>='), number).map((parts) => parts.join(' ')),
  fc
    .tuple(
      tag,
      fc.constant('='),
      fc.oneof(
        value.map((text) => `'${text}'`),
        number,
      ),
    )
    .map((parts) => parts.join(' ')),
  fc.tuple(tag, fc.constantFrom("CONTAINS 'x'", 'EXISTS')).map((parts) => parts.join(' ')),
  fc
    .tuple(fc.constantFrom('<', '<=', '>', '>=', '='), fc.nat({ max: 7 }))
    .map(([operator, height]) => `tx.height ${operator} ${height}`),
)
const query = fc
  .array(condition, { minLength: 1, maxLength: 4 })
  .map((conditions) => conditions.join(' AND '))

test('a search finds what the plain way through all events finds', async () => {
  await fc.assert(
    fc.asyncProperty(chain, query, async (blocks, text) => {
      expect(await find(blocks, text)).toEqual(modelOf(blocks, parseQuery(text)))
    }),
    { numRuns: 2000 },
  )
})

const app = (attributes: Readonly<Record<string, string>>): ApplicationEvent => ({
  type: 'app',
  attributes: Object.entries(attributes).map(([name, text]) => ({
    key: name,
    value: text,
    index: true,
  })),
})

test('conditions must be met by one event, other than in a subscription', async () => {
  const blocks = [[[app({ a: '1' }), app({ b: '2' })], [app({ a: '1', b: '2' })]]]
  expect(await find(blocks, "app.a = '1' AND app.b = '2'")).toEqual(['1/1'])
})

test('a height that is no number finds nothing by itself, and of several the first counts', async () => {
  const blocks = [[[]], [[]], [[]]]
  expect(await find(blocks, "tx.height = 'two'")).toEqual([])
  expect(await find(blocks, "tx.height = '2'")).toEqual(['2/0'])
  expect(await find(blocks, 'tx.height = 2.5')).toEqual([])
  expect(await find(blocks, "tx.height CONTAINS '3'")).toEqual(['3/0'])
  expect(await find(blocks, 'tx.height EXISTS AND tx.height < 3')).toEqual(['1/0', '2/0'])
  expect(await find(blocks, 'tx.height EXISTS AND app.a EXISTS')).toEqual([])
  expect(await find(blocks, 'tx.height = 2 AND tx.height = 3')).toEqual(['2/0'])
  expect(await find(blocks, 'tx.height = 1 AND tx.height > 1')).toEqual(['2/0', '3/0'])
  expect(await find(blocks, 'tx.height > 1.5 AND tx.height < 2.5')).toEqual(['2/0'])
  expect(await find(blocks, 'tx.height >= DATE 2020-01-01')).toEqual([])
  expect(await find(blocks, 'tx.height < 99999999999999999999999')).toHaveLength(3)
})

test.each([
  [
    "tx.hash = 'zz'",
    "error during searching for a hash in the query: encoding/hex: invalid byte: U+007A 'z'",
  ],
  [
    "tx.hash = 'abc'",
    'error during searching for a hash in the query: encoding/hex: odd length hex string',
  ],
  ['tx.hash EXISTS', 'error while retrieving the result: transaction hash cannot be empty'],
])('%s fails with CometBFT’s words', async (text, message) => {
  await expect(find([], text)).rejects.toThrow(new ConsensusError(message))
})

test('a list of the index is read to its end, however long it is', async () => {
  const blocks = Array.from({ length: 1201 }, (_, at) => [[app({ a: String(at % 2) })]])
  expect(await find(blocks, "app.a = '1'")).toHaveLength(600)
  expect(await find(blocks, 'tx.height > 0')).toHaveLength(1201)
})

// Holds D21.
test('a search that would look at too much ends with an error, and one without a listener soon', async () => {
  const blocks = Array.from({ length: 100 }, () => [[app({ a: '1' })]])
  const run = (signal: AbortSignal, steps: number) =>
    searchTransactions(
      sourceOf(blocks),
      parseQuery('app.a EXISTS'),
      createSearchBudget(signal, steps),
    )
  const { signal } = new AbortController()
  await expect(run(signal, 100)).rejects.toThrow('the search is too broad')
  expect(await run(signal, 10_000)).toHaveLength(100)
  const many = Array.from({ length: 3000 }, () => [[app({ a: '1' })]])
  const gone = searchTransactions(
    sourceOf(many),
    parseQuery('app.a EXISTS'),
    createSearchBudget(AbortSignal.abort()),
  )
  await expect(gone).rejects.toThrow('the client disconnected')
})

test('blocks are found by height and by their own events', async () => {
  const { application } = createKvstore(true)
  const events = new Map<number, readonly ApplicationEvent[]>()
  for (let height = 1; height <= 9; height++) {
    const block = { height, txs: [] } as never
    events.set(height, (await application.finalizeBlock(block)).events)
  }
  const search = async (text: string) => {
    const source = {
      index: indexOf([]),
      blockEvents: (height: number) => events.get(height) ?? [],
      range: { first: 1, last: 9 },
    }
    const heights = await searchBlocks(source, parseQuery(text), budget())
    return Array.from({ length: heights.length }, (_, at) => heights.at(at))
  }
  expect(await search('block.height = 5')).toEqual([5])
  expect(await search('block.height > 7 AND block.height <= 30')).toEqual([8, 9])
  expect(await search('begin_event.foo <= 200')).toEqual([2, 4, 6, 8])
  expect(await search("begin_event.foo = '400' AND block.height < 5")).toEqual([1, 3])
  // 100 and 300 are in different events of the same blocks.
  expect(await search('begin_event.foo = 100 AND begin_event.bar = 300')).toEqual([])
  expect(await search('begin_event.foo = 200 AND begin_event.bar = 300')).toEqual([2, 4, 6, 8])
})
