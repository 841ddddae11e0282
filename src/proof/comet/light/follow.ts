/** Verifies from a trusted block to a target with one provider: sequentially, or skipping as far as trust reaches. */
import { LightError } from './errors.ts'
import type { LightBlock, LightOptions, Provider } from './types.ts'
import { verifyForward } from './verify.ts'

/** The verified blocks, from the trusted one to the target. */
export type Trace = readonly [LightBlock, ...LightBlock[]]

/** The block of a height. A provider that returns another one is lying. */
export async function blockAt(provider: Provider, height: number): Promise<LightBlock> {
  const block = await provider(height)
  if (block.header.height !== height)
    throw new LightError(
      'malformed',
      `the response is for height ${block.header.height}, not ${height} as requested`,
    )
  return block
}

/** Verifies every height from the trusted block to the target. Throws LightError. */
export async function followSequentially(
  options: LightOptions,
  provider: Provider,
  trusted: LightBlock,
  target: LightBlock,
  nowNs: bigint,
): Promise<Trace> {
  const trace: [LightBlock, ...LightBlock[]] = [trusted]
  let verified = trusted
  for (let height = trusted.header.height + 1; height <= target.header.height; height++) {
    const next = height === target.header.height ? target : await blockAt(provider, height)
    verifyForward(options, verified, next, nowNs)
    trace.push(next)
    verified = next
  }
  return trace
}

// The next height to try between the trusted one and the one too far away: closer to the latter, as in CometBFT, since
// sets change little and each step is a request.
function pivot(low: number, high: number): number {
  return low + Math.floor(((high - low) * 9) / 16)
}

/**
 * Verifies the target with as few blocks in between as trust allows (bisection). Blocks that were too far away are
 * kept, to be retried from a closer one. Throws LightError.
 */
export async function followSkipping(
  options: LightOptions,
  provider: Provider,
  trusted: LightBlock,
  target: LightBlock,
  nowNs: bigint,
): Promise<Trace> {
  const trace: [LightBlock, ...LightBlock[]] = [trusted]
  let verified = trusted
  // From the target downwards to the nearest requested block.
  let waiting = [target]
  let depth = 0
  for (;;) {
    const next = waiting[depth] as LightBlock
    try {
      verifyForward(options, verified, next, nowNs)
      trace.push(next)
      if (depth === 0) return trace
      verified = next
      waiting = waiting.slice(0, depth)
      depth = 0
    } catch (error) {
      if (!(error instanceof LightError && error.code === 'notEnoughTrust')) throw error
      depth++
      if (depth === waiting.length)
        waiting.push(await blockAt(provider, pivot(verified.header.height, next.header.height)))
    }
  }
}
