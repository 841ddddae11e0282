import { expect, test } from 'vitest'
import { ALICE, BOB, transactionByAlice } from '../../../test/support/rpcNode.ts'
import { toChecksumAddress } from '../../base/checksumAddress.ts'
import { toHex } from '../../base/hex.ts'
import { TRANSACTION_EVENTS, transactionEvents, type EventFacts } from './events.ts'

const transaction = transactionByAlice({ nonce: 7n, value: 42n })
const SUCCESS: EventFacts = {
  transaction,
  receipt: { status: 1, gasUsed: 21_000n, contractAddress: undefined },
  transactionIndex: 3,
  log: '',
}

const sender = [
  ['sender', toChecksumAddress(ALICE), true],
  ['sender', toHex(ALICE), true],
]
const recipient = [
  ['recipient', toChecksumAddress(BOB), true],
  ['recipient', toHex(BOB), true],
]
const amount = ['amount', '42', false]
const hash = ['ethereumTxHash', toHex(transaction.hash), true]

/** Events as type and rows of key, value and whether it is indexed. */
const rowsOf = (facts: EventFacts) =>
  transactionEvents('assay', facts).map(({ type, attributes }) => [
    type,
    attributes.map(({ key, value, index }) => [key, value, index]),
  ])

test('a transaction has these events and no others', () => {
  expect(rowsOf(SUCCESS)).toEqual([
    ['assay', [...sender, ...recipient, amount, hash]],
    [
      'ethereum_tx',
      [
        hash,
        // The index among the transactions of the block.
        ['txIndex', '3', false],
        ...recipient,
        amount,
        ['txGasUsed', '21000', false],
      ],
    ],
    ['message', [['module', 'evm', false], ...sender, ['action', 'ethereum_tx', false]]],
  ])
})

test('a failed transaction says why', () => {
  const receipt = { ...SUCCESS.receipt, status: 0 as const }
  const failed = { ...SUCCESS, receipt, log: 'out of gas' }
  expect(rowsOf(failed)[1]).toEqual([
    'ethereum_tx',
    expect.arrayContaining([['ethereumTxFailed', 'out of gas', false]]),
  ])
})

test('every attribute says what it means', () => {
  for (const { summary, attributes } of TRANSACTION_EVENTS)
    for (const text of [summary, ...attributes.map((each) => each.summary)])
      expect(text).toMatch(/^\S.*\.$/)
})
