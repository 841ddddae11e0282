/** The chain as it is now, for every part of the page. */
import { createContext, useContext } from 'react'
import type { Live } from './follow.ts'
import { createFrameStore, useFrameStore, type FrameStore } from './frames.ts'

const NOTHING = createFrameStore<Live>({ state: 'connecting', heads: [], samples: [] })

export const LiveContext = createContext<FrameStore<Live>>(NOTHING)

/** The latest blocks and samples. */
export function useLive(): Live {
  return useFrameStore(useContext(LiveContext))
}

/**
 * The time of the latest block in seconds since 1970, 0 before the first: contracts know no other, and it may stall.
 */
export function useChainTime(): number {
  return useLive().heads[0]?.time ?? 0
}
