/** New blocks as they are committed, for subscribers: in order, after the commit, and read once for all of them. */
import { createSlices } from '../base/slices.ts'
import type { BlockHeader } from '../chain/block.ts'
import type { ChainReader } from '../chain/reader.ts'
import type { EventBus, NewBlock } from './bus.ts'

type Listener = (header: BlockHeader) => void

/** A block, and the listeners at the time of its commit. */
type Delivery = { readonly block: NewBlock; readonly listeners: readonly Listener[] }

type LiveBlocks = {
  readonly listeners: Set<Listener>
  hear(block: NewBlock): void
}

const liveBlocks = new WeakMap<EventBus, LiveBlocks>()

/** One listener on the bus for all of ours, so that thousands can come and go. */
function liveBlocksOf({ bus, chain }: World): LiveBlocks {
  const known = liveBlocks.get(bus)
  if (known !== undefined) return known
  const listeners = new Set<Listener>()
  const waiting: Delivery[] = []
  let isDelivering = false

  /** Thousands of listeners take a while: other requests are served between slices. */
  async function deliver(): Promise<void> {
    const slices = createSlices()
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const header = chain.header(next.block.height)
      if (header === undefined) continue
      for (const listener of next.listeners) {
        if (slices.isOver()) await slices.next()
        if (listeners.has(listener)) listener(header)
      }
    }
  }

  const live: LiveBlocks = {
    listeners,
    hear(block) {
      waiting.push({ block, listeners: [...listeners] })
      if (isDelivering) return
      isDelivering = true
      setImmediate(() => void deliver().finally(() => (isDelivering = false)))
    },
  }
  liveBlocks.set(bus, live)
  return live
}

type World = { readonly bus: EventBus; readonly chain: ChainReader }

/**
 * Calls back with the header of each new block, until the signal ends. All listeners receive the same object for the
 * same block, and none of them delays the commit.
 */
export function onNewBlock(world: World, listener: Listener, signal: AbortSignal): void {
  const { bus } = world
  const { listeners, hear } = liveBlocksOf(world)
  // A function of its own, because the same listener may be registered twice.
  const own: Listener = (header) => listener(header)
  if (listeners.size === 0) bus.on('block', hear)
  listeners.add(own)
  const end = (): void => {
    if (listeners.delete(own) && listeners.size === 0) bus.off('block', hear)
  }
  signal.addEventListener('abort', end, { once: true })
}
