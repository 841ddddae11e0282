import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../test/support/rpcNode.ts'
import { createJsonBytes } from '../../base/jsonBytes.ts'
import { toHex } from '../../base/hex.ts'
import { rawJson } from '../../wire/rawJson.ts'
import { receiptAt } from '../lookups/read.ts'
import { receiptShape, writeReceipt } from './receipt.ts'

test('every receipt of a chain has the promised shape, gas adds up, and blooms are those of execution', () => {
  const { chain } = withThreeBlocks(createTestNode())
  let count = 0
  for (const height of [1, 2, 3]) {
    const header = chain.header(height)
    if (header === undefined) throw new Error('the chain has three blocks')
    let sum = 0n
    for (const [index, { logsBloom }] of (chain.receipts(height) ?? []).entries()) {
      const placed = receiptAt(chain, header, index)
      if (placed === undefined) throw new Error('a receipt is missing')
      const json = createJsonBytes()
      writeReceipt(json, placed)
      const wire = receiptShape.parse(rawJson(json.pieces()).toJSON())
      sum += BigInt(wire.gasUsed)
      expect(BigInt(wire.cumulativeGasUsed)).toBe(sum)
      expect(wire.logsBloom).toBe(toHex(logsBloom))
      count++
    }
    expect(header.gasUsed).toBe(sum)
  }
  expect(count).toBe(4)
})
