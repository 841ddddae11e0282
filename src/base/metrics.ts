/** Metrics for Prometheus: the counters, the scrape and the reference derive from a program's table of definitions (D69). */
import type { MetricDefinition, Metrics, MetricTable } from './metricTable.ts'
import { PROCESS_METRICS, readProcess } from './processMetrics.ts'
import { createSeries, headLines, sampleLine, type LabelValues, type SeriesMap } from './series.ts'
import { createTimings, type Timer, type Timings } from './timings.ts'

type Value = { value: number }

const PROMETHEUS = 'text/plain; version=0.0.4; charset=utf-8'
const OPEN_METRICS = 'application/openmetrics-text; version=1.0.0; charset=utf-8'

/** OpenMetrics names a counter without the suffix of its sample. */
function familyOf(name: string, { kind }: MetricDefinition, isOpen: boolean): string {
  return isOpen && kind === 'counter' ? name.replace(/_total$/, '') : name
}

function valueLines(name: string, series: SeriesMap<Value>): readonly string[] {
  return [...series.entries()].map(([labels, { value }]) => sampleLine(name, labels, value))
}

/** Metrics of one program, all at zero, with those of its process. */
export function createMetrics<T extends MetricTable>(
  table: T,
): Metrics<T & typeof PROCESS_METRICS> {
  const definitions: readonly (readonly [string, MetricDefinition])[] = Object.entries({
    ...table,
    ...PROCESS_METRICS,
  })
  const values = new Map<string, SeriesMap<Value>>()
  const histograms = new Map<string, Timings>()
  const readers: (() => void)[] = []
  for (const [name, { kind, labels, buckets }] of definitions) {
    if (kind === 'histogram') histograms.set(name, createTimings(name, labels, buckets))
    else {
      const series = createSeries(labels, () => ({ value: 0 }))
      // Without labels there is one series, which is there from the start.
      if (labels.length === 0) series.of({})
      values.set(name, series)
    }
  }

  function valueOf(name: string, labels: LabelValues): Value {
    const series = values.get(name)
    if (series === undefined) throw new RangeError(`there is no counter or gauge ${name}`)
    return series.of(labels)
  }

  function timer(name: string, labels: LabelValues): Timer {
    const histogram = histograms.get(name)
    if (histogram === undefined) throw new RangeError(`there is no histogram ${name}`)
    return histogram.timer(labels)
  }

  function text(isOpen: boolean): string {
    const lines = definitions.flatMap(([name, definition]) => {
      const { kind, help } = definition
      const series = values.get(name)
      const samples = series ? valueLines(name, series) : histograms.get(name)?.lines()
      return [...headLines(familyOf(name, definition, isOpen), kind, help), ...(samples ?? [])]
    })
    return `${[...lines, ...(isOpen ? ['# EOF'] : [])].join('\n')}\n`
  }

  const metrics: Metrics<T & typeof PROCESS_METRICS> = {
    add(name, labels, count = 1) {
      // A counter never goes back.
      valueOf(name, labels).value += Math.max(0, count)
    },
    setTotal(name, labels, total) {
      const counter = valueOf(name, labels)
      counter.value = Math.max(counter.value, total)
    },
    set(name, labels, value) {
      valueOf(name, labels).value = value
    },
    observe: (name, labels, seconds, count) => timer(name, labels)(seconds, count),
    timer,
    onScrape: (read) => void readers.push(read),
    async scrape(accept = '') {
      for (const read of readers) read()
      const isOpen = accept.includes('application/openmetrics-text')
      return { type: isOpen ? OPEN_METRICS : PROMETHEUS, text: text(isOpen) }
    },
  }
  readProcess(metrics)
  return metrics
}
