/** The trusted light blocks, as plain data that can be stored anywhere. */
import type { LightBlock } from './types.ts'

/** Ordered by height, each height once. */
export type TrustedBlocks = readonly LightBlock[]

/** The store with more blocks; of two for one height the newer one is kept. */
export function addTrusted(blocks: TrustedBlocks, more: readonly LightBlock[]): TrustedBlocks {
  const byHeight = new Map([...blocks, ...more].map((block) => [block.header.height, block]))
  return [...byHeight.values()].sort((a, b) => a.header.height - b.header.height)
}

/** The trusted block at a height or the nearest one below it, or undefined. */
export function trustedUpTo(blocks: TrustedBlocks, height: number): LightBlock | undefined {
  return blocks.findLast((block) => block.header.height <= height)
}

/** The last `count` blocks: older ones are useful only for backward verification. */
export function pruneTrusted(blocks: TrustedBlocks, count: number): TrustedBlocks {
  return blocks.slice(-count)
}
