/** Verifying several heights one after the other: each verified block is trusted from then on. */
import { verifyHeight, type LightClient, type Verified } from './client.ts'
import { LightError } from './errors.ts'
import type { TrustedBlocks } from './store.ts'
import type { LightBlock } from './types.ts'

// A header commits to the previous block's results: it arrives with the next block, within its interval.
const NEXT_BLOCK_MS = 15_000
const POLL_MS = 250

/** What a session needs from its host program. */
export type SessionOptions = {
  /** Unix time in nanoseconds. */
  readonly nowNs: () => bigint
  /** Resolves after a number of milliseconds; rejects once the wait is cancelled. */
  readonly sleep: (ms: number) => Promise<void>
  /** Told of each verification, also of one that found the block among the trusted ones. */
  readonly onVerified: (verified: Verified) => void
}

export type LightSession = {
  /** The verified block of a height. Rejects with LightError. */
  verified(height: number | 'latest'): Promise<LightBlock>
  /** The verified block after a height; waits briefly if the chain has not reached it yet. */
  verifiedAfter(height: number): Promise<LightBlock>
  /** The latest verified block. */
  latestTrusted(): LightBlock
}

/** Starts with a trusted block (`beginTrust`, `beginAtGenesis`). */
export function lightSession(
  client: LightClient,
  first: LightBlock,
  { nowNs, sleep, onVerified }: SessionOptions,
): LightSession {
  let trusted: TrustedBlocks = [first]

  const verified = async (height: number | 'latest'): Promise<LightBlock> => {
    const result = await verifyHeight(client, trusted, height, nowNs())
    trusted = result.trusted
    onVerified(result)
    return result.block
  }

  return {
    verified,
    async verifiedAfter(height) {
      for (let waitedMs = 0; ; waitedMs += POLL_MS) {
        try {
          return await verified(height + 1)
        } catch (error) {
          const isEarly = error instanceof LightError && error.code === 'tooHigh'
          if (!isEarly || waitedMs >= NEXT_BLOCK_MS) throw error
          await sleep(POLL_MS)
        }
      }
    },
    latestTrusted: () => trusted.at(-1) ?? first,
  }
}
