import { expect, test } from 'vitest'
import { createMetrics } from '../base/metrics.ts'
import { observeDecided } from './decidedMetrics.ts'
import { NODE_METRICS } from './metrics.ts'

test('a missed signature counts only for this validator, and the round is told', async () => {
  const metrics = createMetrics(NODE_METRICS)
  const observer = observeDecided(metrics)
  const [own, other] = [new Uint8Array(20).fill(1), new Uint8Array(20).fill(2)]
  const commit = (round: number, flag: 1 | 2 | 3, otherFlag: 1 | 2 | 3) => ({
    round,
    votes: [
      { validatorAddress: own, power: 1n, blockIdFlag: flag },
      { validatorAddress: other, power: 1n, blockIdFlag: otherFlag },
    ],
  })
  observer.onDecided(2, commit(0, 1, 2))
  observer.setOwn(own)
  observer.onDecided(3, commit(0, 2, 1))
  observer.onDecided(4, commit(0, 1, 2))
  observer.onDecided(5, commit(3, 1, 2))
  const { text } = await metrics.scrape()
  expect(text).toContain('assay_validator_missed_signatures_total 2\n')
  expect(text).toContain('assay_consensus_round 3\n')
})
