/** Waits until a transaction is in a block. */
import type { ChainReader } from '../../chain/reader.ts'
import type { EventBus } from '../../events/bus.ts'
import { onNewBlock } from '../../events/liveBlocks.ts'
import { findIncluded } from '../lookups/read.ts'

type Included = NonNullable<ReturnType<typeof findIncluded>>

/** The transaction in its block, or undefined when it was not included within this many milliseconds. */
export function awaitInclusion(
  world: { readonly chain: ChainReader; readonly bus: EventBus },
  hash: Uint8Array,
  milliseconds: number,
): Promise<Included | undefined> {
  const ended = new AbortController()
  return new Promise<Included | undefined>((resolve) => {
    const timer = setTimeout(() => resolve(undefined), milliseconds)
    const look = (): void => {
      const found = findIncluded(world.chain, hash)
      if (!found) return
      clearTimeout(timer)
      resolve(found)
    }
    onNewBlock(world, look, ended.signal)
    look()
  }).finally(() => ended.abort())
}
