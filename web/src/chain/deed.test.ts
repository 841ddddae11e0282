import { expect, test } from 'vitest'
import { decodeCall } from '../abi/book.ts'
import { deedOf, failureOf } from './deed.ts'
import type { Call, Receipt, Transaction } from './types.ts'

const ANN = `0x${'a1'.repeat(20)}`
const BOB = `0x${'b2'.repeat(20)}`
const TOKEN = `0x${'c3'.repeat(20)}`
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const word = (hex: string): string => hex.replace('0x', '').padStart(64, '0')
const ASKS = `0xa9059cbb${word(BOB)}${word('0x5f')}`

const transaction = (more: Partial<Transaction>): Transaction =>
  ({ from: ANN, to: BOB, value: '0x0', input: '0x', gas: '0x5208', ...more }) as Transaction
const receipt = (more: Partial<Receipt>): Receipt =>
  ({ status: '0x1', gasUsed: '0x5208', contractAddress: null, logs: [], ...more }) as Receipt
const log = (from: string, token = TOKEN) => ({
  address: token,
  topics: [TRANSFER, `0x${word(from)}`, `0x${word(BOB)}`],
  data: `0x${word('0x5f')}`,
  logIndex: '0x0',
  transactionHash: '0x',
  blockNumber: '0x1',
})
const decoded = (input: string) => decodeCall(() => undefined, TOKEN, input)

test('a transfer of money, a new contract and a call are what they are', () => {
  expect(deedOf(transaction({ value: '0x7' }), receipt({}), undefined)).toEqual({
    kind: 'transfer',
    to: BOB,
    value: 7n,
  })
  expect(
    deedOf(
      transaction({ to: null, input: '0x60' }),
      receipt({ contractAddress: TOKEN }),
      undefined,
    ),
  ).toEqual({ kind: 'create', created: TOKEN, value: 0n })
  expect(deedOf(transaction({ to: TOKEN, input: '0x12345678' }), receipt({}), undefined)).toEqual({
    kind: 'call',
    to: TOKEN,
    method: '',
    value: 0n,
  })
})

test('one reported transfer of the called token is the sentence; more, or of another token, are a call', () => {
  const call = transaction({ to: TOKEN, input: ASKS })
  expect(deedOf(call, receipt({ logs: [log(ANN)] }), decoded(ASKS))).toEqual({
    kind: 'token',
    token: TOKEN,
    from: ANN,
    to: BOB,
    amount: 95n,
  })
  for (const logs of [[], [log(ANN), log(ANN)], [log(ANN, BOB)]])
    expect(deedOf(call, receipt({ logs }), decoded(ASKS))).toMatchObject({
      kind: 'call',
      method: 'transfer',
    })
})

test('a failed transfer of a token says what it asked for', () => {
  const call = transaction({ to: TOKEN, input: ASKS })
  expect(deedOf(call, receipt({ status: '0x0' }), decoded(ASKS))).toMatchObject({
    kind: 'token',
    from: ANN,
    to: BOB,
    amount: 95n,
  })
})

// Holds D170.
test('out of gas is told apart from a revert, with a trace and without', () => {
  const failed = receipt({ status: '0x0' })
  const call = (error: string): Call => ({ error }) as Call
  const of = (gasUsed: string, traced?: Call) =>
    failureOf(transaction({}), { ...failed, gasUsed }, traced)?.kind
  expect(of('0x5208', call('out of gas'))).toBe('out of gas')
  expect(of('0x5208', call('execution reverted'))).toBe('reverted')
  expect(of('0x5208', call('invalid opcode: INVALID'))).toBe('failed')
  expect(of('0x5208')).toBe('out of gas')
  expect(of('0x5000')).toBe('reverted')
  expect(failureOf(transaction({}), receipt({}), undefined)).toBeUndefined()
  expect(failureOf(transaction({}), null, undefined)).toBeUndefined()
})
