import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'

test('eth_gasPrice is the next base fee plus the suggested tip', async () => {
  const node = createTestNode()
  const tip = BigInt(String(await node.request('eth_maxPriorityFeePerGas')))
  expect(BigInt(String(await node.request('eth_gasPrice')))).toBe(10n ** 9n + tip)
})
