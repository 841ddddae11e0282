import { expect, test } from 'vitest'
import { createTestNode, TOPIC, withThreeBlocks } from '../../../../test/support/rpcNode.ts'
import { toHex } from '../../../base/hex.ts'

test('debug_getRawReceipts gives the bytes of each receipt, typed ones with their type before them', async () => {
  const node = withThreeBlocks(createTestNode())
  const [legacy, typed] = (await node.request('debug_getRawReceipts', '0x1')) as string[]
  expect(legacy).toMatch(/^0xf9/)
  expect(typed).toMatch(/^0x02f9/)
  expect(typed).toContain(toHex(TOPIC).slice(2))
})
