// From the start of the process to its first answer, and its memory then.
import { inTurnsAnew, summaryOf } from './support/measure.mjs'

/** Measures the rows on peers that `starters(chain)` starts. */
export async function measureStartup({ starters, options, add }) {
  const samples = await inTurnsAnew(
    starters({ blockGasLimit: 30_000_000n }),
    options.rounds,
    (peer) => ({
      time: { value: peer.startMs },
      memory: { value: peer.residentBytes() / 1e6 },
    }),
  )
  add({
    name: 'start of a new chain to the first answer',
    unit: 'ms',
    values: summaryOf(samples, 'time'),
    isLowerBetter: true,
  })
  add({
    name: 'memory after the start',
    unit: 'MB',
    values: summaryOf(samples, 'memory'),
    isLowerBetter: true,
  })
}
