import { RLP } from '@ethereumjs/rlp'
import { expect, test } from 'vitest'
import { toHexDigits } from '../base/hex.ts'
import { encodeReceipt } from './receiptEncoding.ts'

const log = {
  address: new Uint8Array(20).fill(1),
  topics: [new Uint8Array(32).fill(2)],
  data: Uint8Array.of(3),
}
const receipt = {
  status: 1,
  cumulativeGasUsed: 21_000n,
  logsBloom: new Uint8Array(256).fill(4),
  logs: [log],
} as const

test('a legacy receipt is the list of status, gas, bloom and logs', () => {
  const expected = RLP.encode([
    1,
    21_000n,
    receipt.logsBloom,
    [[log.address, log.topics, log.data]],
  ])
  expect(toHexDigits(encodeReceipt({ ...receipt, type: 0 }))).toBe(toHexDigits(expected))
})

test('a typed receipt begins with its type, and a failed status is the empty string', () => {
  const encoded = encodeReceipt({ ...receipt, type: 2, status: 0, logs: [] })
  expect(encoded[0]).toBe(2)
  const expected = RLP.encode([0, 21_000n, receipt.logsBloom, []])
  expect(toHexDigits(encoded.subarray(1))).toBe(toHexDigits(expected))
})
