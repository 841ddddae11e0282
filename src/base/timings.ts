/** A histogram of durations by labels. Every request can be measured: a label set is looked up once by callers on a hot path. */
import { createSeries, sampleLine, type LabelValues } from './series.ts'

/** Upper bounds of the buckets, in seconds: from the time of a memory read to more than any client waits. */
export const BUCKETS: readonly number[] = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5,
  10,
]

/** Counts per bucket, not cumulative; the last one counts everything above the highest bound. */
type Series = { readonly counts: Float64Array; sum: number }

/** Records one duration, in seconds, or several of about this length. */
export type Timer = (seconds: number, count?: number) => void

export type Timings = {
  /** Counts under these labels: to be kept by callers on a hot path. */
  timer(labels: LabelValues): Timer
  /** Lines of samples. */
  lines(): readonly string[]
}

/** An empty histogram with labels of these names; `buckets` ascend. */
export function createTimings(
  name: string,
  labelNames: readonly string[],
  buckets: readonly number[] = BUCKETS,
): Timings {
  const series = createSeries<Series>(labelNames, () => ({
    counts: new Float64Array(buckets.length + 1),
    sum: 0,
  }))

  function linesOf(labels: string, { counts, sum }: Series): readonly string[] {
    const lines: string[] = []
    const comma = labels === '' ? '' : ','
    let count = 0
    for (const [i, added] of counts.entries()) {
      count += added
      lines.push(
        sampleLine(`${name}_bucket`, `${labels}${comma}le="${buckets[i] ?? '+Inf'}"`, count),
      )
    }
    lines.push(sampleLine(`${name}_sum`, labels, sum), sampleLine(`${name}_count`, labels, count))
    return lines
  }

  return {
    timer(labels) {
      const found = series.of(labels)
      const { counts } = found
      return (seconds, count = 1) => {
        let bucket = 0
        while (seconds > (buckets[bucket] ?? Infinity)) bucket++
        counts[bucket] = (counts[bucket] ?? 0) + count
        found.sum += seconds * count
      }
    },
    lines: () => [...series.entries()].flatMap(([labels, value]) => linesOf(labels, value)),
  }
}
