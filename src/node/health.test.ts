import { expect, test } from 'vitest'
import { createFakeClock } from '../../test/support/fakeClock.ts'
import { createMemoryChain } from '../../test/support/memoryChain.ts'
import type { CometPeer } from '../consensus/cometbft/rpc.ts'
import { createEventBus, publishHeight } from '../events/bus.ts'
import type { SyncProgress } from '../rpc/world.ts'
import { createHealth } from './health.ts'

/** A node whose last block is 2 s old. */
function open(makesBlocksOnDemand = false, signer?: boolean) {
  const chain = createMemoryChain()
  const { timeNs, height } = chain.append()
  const clock = createFakeClock(timeNs + 2_000_000_000n)
  const bus = createEventBus()
  let progress: SyncProgress | undefined
  const peer: CometPeer = { id: 'aa', name: 'other', isOutbound: true, ip: '127.0.0.1' }
  const network = { clientVersion: '', namespaces: [], dataFolder: '', peers: () => [peer] }
  const self = { id: '', name: '', listenAddress: '' }
  return {
    clock,
    catchUp: (to: SyncProgress | undefined) => (progress = to),
    announce: () => publishHeight(bus, height, () => undefined),
    health: createHealth({
      world: { chain, network: { ...network, self }, syncing: () => progress },
      bus,
      maxLag: makesBlocksOnDemand ? undefined : 60_000,
      clock,
      isSignerConnected: () => signer,
    }),
  }
}

test('a node with a fresh block is ready, and tells height, lag, peers and whether it catches up', () => {
  expect(open().health()).toEqual({
    reasons: [],
    details: { height: 1, lag: 2, peers: 1, syncing: false },
  })
})

// Holds D94.
test('a node that catches up, or whose last block is old, is not ready and says why', async () => {
  const { health, catchUp, clock, announce } = open()
  catchUp({ startingBlock: 0, currentBlock: 1, highestBlock: 99 })
  expect(health().reasons).toEqual(['catching up: at height 1 of 99'])
  catchUp(undefined)
  await clock.advance(59_000)
  expect(health().reasons).toEqual(['the last block is 61 s old, more than 60 s'])
  // A chain whose time is ahead of this clock stands still all the same.
  clock.setWallClock(0n)
  expect(health().reasons).toEqual([])
  await clock.advance(2_000)
  expect(health().reasons).toEqual(['the last block is 61 s old, more than 60 s'])
  announce()
  expect(health().reasons).toEqual([])
})

test('where blocks are made on demand, an old block is no reason', async () => {
  const { health, clock } = open(true)
  await clock.advance(86_400_000)
  expect(health().reasons).toEqual([])
})

test('where a remote signer signs, it is said whether that one is connected', () => {
  expect(open().health().details).not.toHaveProperty('signer')
  expect(open(false, true).health()).toMatchObject({ reasons: [], details: { signer: true } })
  expect(open(false, false).health()).toMatchObject({ reasons: [], details: { signer: false } })
})
