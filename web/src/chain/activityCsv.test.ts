import { expect, test } from 'vitest'
import { csvLines } from './activityCsv.ts'
import type { Receipt, Transaction } from './types.ts'

test('a line has exact amounts, the time, and how it ended', () => {
  const transaction = {
    hash: '0xaa',
    blockNumber: '0x10',
    blockTimestamp: '0x0',
    from: '0x01',
    to: null,
    value: '0xde0b6b3a7640001',
  } as Transaction
  const receipt = {
    transactionHash: '0xaa',
    gasUsed: '0x5208',
    effectiveGasPrice: '0x3b9aca00',
    contractAddress: '0x02',
    status: '0x0',
  } as Receipt
  expect(csvLines({ transactions: [transaction], receipts: [receipt], next: undefined })).toEqual([
    '0xaa,16,1970-01-01T00:00:00.000Z,0x01,,0x02,1000000000000000001,21000,21000000000000,failed',
  ])
})
