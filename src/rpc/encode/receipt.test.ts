import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../test/support/rpcNode.ts'
import { receiptsOf } from '../read.ts'
import { encodeReceipt, receiptShape } from './receipt.ts'

test('every receipt of a chain has the promised shape, and gas adds up', () => {
  const { chain } = withThreeBlocks(createTestNode())
  for (const height of [1, 2, 3]) {
    const header = chain.header(height)
    let sum = 0n
    for (const { transaction, receipt, position } of header ? receiptsOf(chain, header) : []) {
      const wire = receiptShape.parse(encodeReceipt(transaction, receipt, position))
      sum += BigInt(wire.gasUsed)
      expect(BigInt(wire.cumulativeGasUsed)).toBe(sum)
    }
    expect(header?.gasUsed).toBe(sum)
  }
})
