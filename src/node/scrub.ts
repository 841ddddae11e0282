/** The scrub of a node's store: what it verifies, and what a finding does (D92). */
import { systemClock } from '../base/clock.ts'
import { DamageError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import type { ChainStore } from '../ledger/store.ts'
import type { Home } from '../config/home.ts'
import type { NodeConfig } from '../config/node.ts'
import { startScrubber, type Scrubber, type ScrubStatistics } from '../consensus/scrub/scrubber.ts'
import type { EventBus } from '../events/bus.ts'

/** A start is busy enough without it. */
const DELAY_MS = 60_000

/** What a node without a scrub reports. */
export const NO_SCRUB: ScrubStatistics = {
  pages: 0,
  blocks: 0,
  records: 0,
  passes: 0,
  findings: 0,
  lastPass: undefined,
}

export type ScrubParts = {
  readonly home: Home
  readonly config: NodeConfig
  readonly chainId: bigint
  /** The id of the chain in signatures. */
  readonly chainName: string
  readonly store: ChainStore
  readonly bus: EventBus
  readonly log: Log
  /** Ends the process. */
  readonly fatal: (error: unknown) => void
}

/** Starts the scrub; undefined where the configuration has it off. */
export function startScrub(parts: ScrubParts): Scrubber | undefined {
  const { home, config, store, bus, log, fatal } = parts
  if (!config['store.scrub']) return undefined
  const interval = config['store.scrub-interval']
  const scrubber = startScrubber(
    { store: home.chainStore, chainId: parts.chainId, chainName: parts.chainName, interval },
    {
      onDamage: (fault) =>
        fatal(new DamageError(fault, `Run: assay node check --repair --home ${home.folder}`)),
      onPassed: (duration, { pages, blocks, records }) =>
        log.info({ duration: Math.round(duration), pages, blocks, records }, 'store verified'),
      onFault: (reason) => log.error({ reason }, 'the store is not verified any more'),
      verifyState: store.verifyState,
      delay: Math.min(DELAY_MS, interval),
      clock: systemClock,
    },
  )
  bus.on('block', ({ height }) => {
    if ((store.reader.header(height)?.gasUsed ?? 0n) > 0n) scrubber.busy()
  })
  return scrubber
}
