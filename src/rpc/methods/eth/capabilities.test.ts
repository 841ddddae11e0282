import { expect, test } from 'vitest'
import { createTestNode, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('eth_capabilities tells from which block on things are kept', async () => {
  const node = withThreeBlocks(createTestNode())
  const whole = { disabled: false, oldestBlock: '0x0' }
  expect(await node.request('eth_capabilities')).toEqual({
    head: { number: '0x3', hash: toHex(node.chain.header(3)?.hash ?? new Uint8Array(0)) },
    state: whole,
    tx: whole,
    logs: whole,
    receipts: whole,
    blocks: whole,
    stateproofs: whole,
  })
})

test('windows are told, and what they have left behind', async () => {
  const node = withThreeBlocks(createTestNode({ retention: { states: 2, proofs: 1, blocks: 256 } }))
  node.chain.forget(2)
  const windowOf = (blocks: string) => ({ type: 'window', retentionBlocks: blocks })
  expect(await node.request('eth_capabilities')).toMatchObject({
    blocks: { oldestBlock: '0x0', deleteStrategy: windowOf('0x100') },
    state: { oldestBlock: '0x2', deleteStrategy: windowOf('0x2') },
    stateproofs: { oldestBlock: '0x3', deleteStrategy: windowOf('0x1') },
  })
})
