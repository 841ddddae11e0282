/** Whether clients should be sent to this node (D94). */
import type { Clock } from '../base/clock.ts'
import type { EventBus } from '../events/bus.ts'
import type { World } from '../rpc/world.ts'
import type { Health } from '../wire/health.ts'

export type HealthOptions = {
  readonly world: Pick<World, 'chain' | 'network' | 'syncing'>
  readonly bus: EventBus
  /** Maximum age of the last block, in milliseconds; undefined where blocks are made on demand. */
  readonly maxLag: number | undefined
  readonly clock: Pick<Clock, 'now' | 'monotonic'>
  /** Whether the remote signer is connected; undefined without one. */
  readonly isSignerConnected: () => boolean | undefined
}

/** Tells the state of a node that answers. */
export function createHealth({
  world,
  bus,
  maxLag,
  clock,
  isSignerConnected,
}: HealthOptions): () => Health {
  const { chain, network, syncing } = world
  let lastBlockAt = clock.monotonic()
  bus.on('block', () => (lastBlockAt = clock.monotonic()))

  /** Milliseconds. The wall clock tells how old a block is, the other one notices a standstill whatever its time says. */
  function lag(height: number): number {
    const { timeNs } = chain.header(height) ?? { timeNs: 0n }
    const age = Number((clock.now() - timeNs) / 1_000_000n)
    return Math.max(age, clock.monotonic() - lastBlockAt, 0)
  }

  return () => {
    const height = chain.latestHeight()
    const progress = syncing()
    const behind = lag(height)
    const seconds = Math.round(behind) / 1000
    const signer = isSignerConnected()
    const reasons = [
      ...(progress ? [`catching up: at height ${height} of ${progress.highestBlock}`] : []),
      ...(maxLag !== undefined && behind > maxLag
        ? [`the last block is ${Math.round(seconds)} s old, more than ${maxLag / 1000} s`]
        : []),
    ]
    return {
      reasons,
      details: {
        height,
        lag: seconds,
        peers: network.peers().length,
        syncing: progress !== undefined,
        ...(signer !== undefined && { signer }),
      },
    }
  }
}
