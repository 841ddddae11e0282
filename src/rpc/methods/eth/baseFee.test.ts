import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'

test('eth_baseFee is what eth_feeHistory foretells for the next block', async () => {
  const node = withThreeBlocks(createTestNode())
  const { baseFeePerGas } = (await node.request('eth_feeHistory', '0x1', 'latest')) as {
    baseFeePerGas: string[]
  }
  expect(await node.request('eth_baseFee')).toBe(baseFeePerGas[1])
})
