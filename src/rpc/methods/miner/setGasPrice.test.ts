import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('miner_setGasPrice | [hex gas price] | boolean: what the configuration file says', async () => {
  const prices: bigint[] = []
  const settings = {
    setMinimumGasPrice: (price: bigint) => prices.push(price) === 1,
    setRewardAddress: async () => false,
  }
  const node = createTestNode({ settings })
  expect(await node.request('miner_setGasPrice', '0x3b9aca00')).toBe(true)
  expect(await node.request('miner_setGasPrice', '0x1')).toBe(false)
  expect(prices).toEqual([1_000_000_000n, 1n])
})
