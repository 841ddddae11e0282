import { expect, test } from 'vitest'
import { mergeHeads, perSecond, readHead, type Head } from './head.ts'

const head = (height: number, time: number, transactions: number): Head => ({
  height,
  hash: `0x${height}`,
  time,
  gasUsed: transactions * 21_000,
  gasLimit: 30_000_000,
  baseFee: 7n,
  transactions: Array.from({ length: transactions }, (_, at) => `0x${height}${at}`),
})

test('blocks are read with hashes or whole transactions, and other things are none', () => {
  const common = { number: '0x10', hash: '0xab', timestamp: '0x5', gasUsed: '0x1', gasLimit: '0x2' }
  expect(readHead({ ...common, transactions: ['0x1', { hash: '0x2' }] })?.transactions).toEqual([
    '0x1',
    '0x2',
  ])
  expect(readHead(common)).toMatchObject({ height: 16, time: 5, baseFee: 0n, transactions: [] })
  for (const value of [null, 'x', 5, {}, { number: 5 }]) expect(readHead(value)).toBeUndefined()
})

test('heads are kept once, the latest first, and bounded', () => {
  const merged = mergeHeads([head(2, 0, 0), head(1, 0, 0)], [head(3, 0, 0), head(2, 0, 1)], 2)
  expect(merged.map(({ height }) => height)).toEqual([3, 2])
  expect(merged[1]?.transactions).toHaveLength(1)
})

test('sums of seconds leave out the one that is not over', () => {
  const heads = [head(5, 103, 9), head(4, 102, 1), head(3, 102, 2), head(2, 100, 4), head(1, 50, 8)]
  expect(perSecond(heads, 4, ({ transactions }) => transactions.length)).toEqual([0, 4, 0, 3])
})
