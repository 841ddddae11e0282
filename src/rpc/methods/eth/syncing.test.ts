import { expect, test } from 'vitest'
import { createTestNode } from '../../../../test/support/rpcNode.ts'
import type { World } from '../../world.ts'
import { eth_syncing } from './syncing.ts'

test('eth_syncing is false when the node has caught up', async () => {
  expect(await createTestNode().request('eth_syncing')).toBe(false)
})

test('eth_syncing tells how far a node is that catches up', () => {
  const progress = { startingBlock: 1, currentBlock: 10, highestBlock: 255 }
  const world: Pick<World, 'syncing'> = { syncing: () => progress }
  const caller = {
    transport: 'http',
    authorized: false,
    principal: undefined,
    client: 'test',
    profile: 'spec',
    connection: undefined,
  } as const
  const answer = eth_syncing.call({ ...createTestNode(), ...world }, {}, caller)
  expect(eth_syncing.result.parse(answer)).toEqual({
    startingBlock: '0x1',
    currentBlock: '0xa',
    highestBlock: '0xff',
  })
})
