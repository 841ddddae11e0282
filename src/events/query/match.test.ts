import { expect, test } from 'vitest'
import { compileQuery } from './match.ts'
import { parseQuery } from './parser.ts'

const attributes = new Map([
  ['tm.event', ['Tx']],
  ['tx.hash', ['AB']],
  ['tx.height', ['12']],
  ['assay.recipient', ['0xAbC1', '0xabc1']],
  ['transfer.amount', ['8atom', '100.5stake']],
  ['transfer.large', ['9007199254740993']],
  ['gov.closing', ['2023-05-17T14:12:53.5Z']],
  ['gov.day', ['2023-05-17']],
  ['gov.note', ['a plain note']],
  ['nested.type.key', ['x']],
])

test.each([
  "tm.event='Tx'",
  "tm.event='Tx' AND assay.recipient='0xAbC1'",
  "tm.event='Tx' AND assay.recipient='0xabc1'",
  'tx.height = 12',
  'tx.height >= 12 AND tx.height < 13',
  'tx.height > 11.99',
  'tx.height <= 12.0',
  'transfer.amount = 8',
  'transfer.amount = 100.50',
  'transfer.large = 9007199254740993',
  'transfer.large > 9007199254740992',
  'gov.closing > TIME 2023-05-17T14:12:53Z',
  'gov.closing < TIME 2023-05-17T16:12:54+02:00',
  'gov.day = DATE 2023-05-17',
  'gov.day >= DATE 2023-05-16',
  "gov.note CONTAINS 'plain'",
  'gov.note EXISTS',
  'gov EXISTS',
  'nested.type EXISTS',
  "tx.height='12'",
])('%s holds', (query) => {
  expect(compileQuery(parseQuery(query))(attributes)).toBe(true)
})

test.each([
  "tm.event='NewBlock'",
  "tm.event='Tx' AND assay.recipient='0xABC1'",
  "tx.hash='ab'",
  'tx.height = 1',
  'tx.height < 12',
  'transfer.large = 9007199254740992',
  'tx.hash = 5',
  'gov.closing = DATE 2023-05-17',
  'gov.day > TIME 2023-05-16T00:00:00Z',
  "gov.note CONTAINS 'PLAIN'",
  'go EXISTS',
  'nested EXISTS',
  'nested.type.key.more EXISTS',
  "absent.key = ''",
])('%s does not hold', (query) => {
  expect(compileQuery(parseQuery(query))(attributes)).toBe(false)
})

test('conditions may be met by different values of a name', () => {
  const query = parseQuery('transfer.amount > 50 AND transfer.amount < 10')
  expect(compileQuery(query)(attributes)).toBe(true)
})
