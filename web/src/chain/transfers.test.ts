import { expect, test } from 'vitest'
import { boundCalls } from './boundCalls.ts'
import { findTransfers, transfersOfCalls } from './transfers.ts'
import type { Call, Log } from './types.ts'

const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const SINGLE = '0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62'
const word = (digits: string) => `0x${digits.padStart(64, '0')}`

const log = (topics: readonly string[], data: string): Log => ({
  address: '0xtoken',
  topics,
  data,
  logIndex: '0x3',
  transactionHash: '0x',
  blockNumber: '0x1',
})

test('tokens of each standard are told apart by their logs', () => {
  const from = word('aa')
  const to = word('bb')
  expect(findTransfers([log([TRANSFER, from, to], word('5'))])[0]).toMatchObject({
    kind: 'ERC-20',
    from: `0x${'aa'.padStart(40, '0')}`,
    amount: 5n,
  })
  expect(findTransfers([log([TRANSFER, from, to, word('7')], '0x')])[0]).toMatchObject({
    kind: 'ERC-721',
    id: 7n,
  })
  const single = log([SINGLE, word('cc'), from, to], word('1') + word('2').slice(2))
  expect(findTransfers([single])[0]).toMatchObject({ kind: 'ERC-1155', id: 1n, amount: 2n })
})

test('logs that only look like transfers are none', () => {
  expect(
    findTransfers([log([TRANSFER], '0x'), log([TRANSFER, word('1'), word('2')], '0x12')]),
  ).toEqual([])
})

const call = (fields: Partial<Call>): Call => ({
  type: 'CALL',
  from: '0xfrom',
  to: '0xto',
  value: '0x1',
  gas: '0x0',
  gasUsed: '0x0',
  input: '0x',
  ...fields,
})

test('money inside of a transaction counts once, and not where it was reverted', () => {
  const root = call({
    value: '0x9',
    calls: [
      call({ value: '0x2', calls: [call({ value: '0x3' })] }),
      call({ value: '0x4', error: 'execution reverted', calls: [call({ value: '0x5' })] }),
      call({ type: 'DELEGATECALL', value: '0x6' }),
      call({ value: '0x0' }),
    ],
  })
  expect(transfersOfCalls(root).map(({ amount }) => amount)).toEqual([2n, 3n])
})

test('of many calls the first ones are drawn, and the others counted', () => {
  const wide = call({ calls: Array.from({ length: 10 }, () => call({})) })
  const bounded = boundCalls(call({ calls: [wide, wide] }), 5)
  expect(bounded.calls).toHaveLength(1)
  expect(bounded.omitted).toBe(1)
  expect(bounded.calls[0]?.calls).toHaveLength(4)
  expect(bounded.calls[0]?.omitted).toBe(6)
})
