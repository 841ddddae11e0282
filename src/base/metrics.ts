/** Metrics for Prometheus: the counters, the scrape and the reference derive from a program's table of definitions. */
import { Counter, Gauge, Registry } from 'prom-client'
import type { Metrics, MetricTable } from './metricTable.ts'
import { PROCESS_METRICS, readProcess } from './processMetrics.ts'
import { createTimings, type Timer, type Timings } from './timings.ts'

/** Metrics of one program, all at zero, with those of its process. */
export function createMetrics<T extends MetricTable>(
  table: T,
): Metrics<T & typeof PROCESS_METRICS> {
  const registry = new Registry()
  const counters = new Map<string, Counter>()
  const gauges = new Map<string, Gauge>()
  const histograms = new Map<string, Timings>()
  const totals = new Map<string, number>()
  const readers: (() => void)[] = []
  for (const [name, { kind, help, labels }] of Object.entries({ ...table, ...PROCESS_METRICS })) {
    const settings = { name, help, labelNames: [...labels], registers: [registry] }
    if (kind === 'counter') counters.set(name, new Counter(settings))
    else if (kind === 'gauge') gauges.set(name, new Gauge(settings))
    else histograms.set(name, createTimings(name, help, labels))
  }
  const add = (name: string, labels: Readonly<Record<string, string>>, count: number): void =>
    counters.get(name)?.inc(labels, count)

  function timer(name: string, labels: Readonly<Record<string, string>>): Timer {
    const histogram = histograms.get(name)
    if (histogram === undefined) throw new RangeError(`there is no histogram ${name}`)
    return histogram.timer(labels)
  }

  const metrics: Metrics<T & typeof PROCESS_METRICS> = {
    add: (name, labels, count = 1) => add(name, labels, count),
    setTotal(name, labels, total) {
      const key = `${name} ${JSON.stringify(labels)}`
      add(name, labels, Math.max(0, total - (totals.get(key) ?? 0)))
      totals.set(key, total)
    },
    set: (name, labels, value) => gauges.get(name)?.set(labels, value),
    observe: (name, labels, seconds) => timer(name, labels)(seconds),
    timer,
    onScrape: (read) => void readers.push(read),
    async scrape() {
      for (const read of readers) read()
      const timings = [...histograms.values()].map((each) => each.text())
      return {
        type: registry.contentType,
        text: [await registry.metrics(), ...timings].join('\n'),
      }
    },
  }
  readProcess(metrics)
  return metrics
}
