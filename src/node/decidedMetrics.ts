/** Metrics of what consensus decides: the round of a block, and whether this validator signed it. */
import { equalBytes } from '../base/bytes.ts'
import type { CommitInfo } from '../consensus/application.ts'
import type { NodeMetrics } from './metrics.ts'

/** As in a commit: the validator did not vote. */
const ABSENT = 1

export type DecidedObserver = {
  /** Counts a decided block by the commit of the one before. */
  onDecided(height: number, lastCommit: CommitInfo): void
  /** Names this node's validator, 20 bytes, once it is known. Before, nothing counts as missed. */
  setOwn(address: Uint8Array): void
}

/** An observer for the consensus engine. */
export function observeDecided(metrics: NodeMetrics): DecidedObserver {
  let own: Uint8Array | undefined
  return {
    onDecided(_height, { round, votes }) {
      metrics.set('assay_consensus_round', {}, round)
      const mine = votes.find(
        ({ validatorAddress }) => own !== undefined && equalBytes(validatorAddress, own),
      )
      if (mine?.blockIdFlag === ABSENT) metrics.add('assay_validator_missed_signatures_total', {})
    },
    setOwn(address) {
      own = address
    },
  }
}
