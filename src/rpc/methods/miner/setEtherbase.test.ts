import { expect, test } from 'vitest'
import { ALICE, BOB, createTestNode } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('miner_setEtherbase | [address] | boolean; changes the account receiving validator rewards', async () => {
  let reward = BOB
  const settings = {
    setMinimumGasPrice: () => false,
    async setRewardAddress(address: Uint8Array) {
      reward = address
      return true
    },
  }
  const node = createTestNode({ settings })
  expect(await node.request('miner_setEtherbase', toHex(ALICE))).toBe(true)
  expect(reward).toEqual(ALICE)
})
