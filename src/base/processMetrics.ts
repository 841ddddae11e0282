/** Metrics of every program's own process, read at each scrape: observing every garbage collection would cost too much. */
import fs from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { metric, type Metrics } from './metricTable.ts'

/** Part of every program's metrics; docs/metrics.md is generated from this table. */
export const PROCESS_METRICS = {
  process_cpu_seconds_total: metric('counter', [], 'CPU time, user and system, of all threads.'),
  process_resident_memory_bytes: metric('gauge', [], 'Resident memory.'),
  process_start_time_seconds: metric(
    'gauge',
    [],
    'Start time of the process, as a Unix timestamp.',
  ),
  process_open_fds: metric('gauge', [], 'Open file descriptors. Linux only.'),
  process_max_fds: metric(
    'gauge',
    [],
    'Maximum number of open file descriptors; 0 if there is none. Linux only.',
  ),
  nodejs_heap_size_used_bytes: metric('gauge', [], 'Used heap of the main thread.'),
  assay_spans_exported_total: metric(
    'counter',
    [],
    'Spans that the collector of traces has taken; 0 while otel.endpoint is not set.',
  ),
  assay_spans_dropped_total: metric(
    'counter',
    [],
    'Spans that were dropped: the collector was too slow, gone, or did not take them.',
  ),
  assay_event_loop_delay_seconds: metric(
    'gauge',
    ['quantile'],
    'Event loop delay of the main thread: quantiles 0.5, 0.99, 0.999 and 1 (the maximum) since the last scrape.',
  ),
} as const

/** Sampling interval of the event loop's delay, in milliseconds. A timer that is on time is measured as this late, too. */
const RESOLUTION_MS = 20

const QUANTILES = [0.5, 0.99, 0.999, 1]

/** The soft limit on open files of this process; 0 where it is unlimited or unknown. */
function maxDescriptors(): number {
  try {
    const [, limit] =
      /^Max open files\s+(\d+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8')) ?? []
    return Number(limit ?? 0)
  } catch {
    return 0
  }
}

/** Reads them at each scrape. The timer that watches the event loop does not keep the process alive. */
export function readProcess(metrics: Metrics<typeof PROCESS_METRICS>): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const maxFds = maxDescriptors()
  const startedAt = Date.now() / 1000 - process.uptime()
  metrics.onScrape(() => {
    const { user, system } = process.cpuUsage()
    metrics.setTotal('process_cpu_seconds_total', {}, (user + system) / 1e6)
    metrics.set('process_resident_memory_bytes', {}, process.memoryUsage.rss())
    metrics.set('process_start_time_seconds', {}, startedAt)
    metrics.set('nodejs_heap_size_used_bytes', {}, process.memoryUsage().heapUsed)
    metrics.set('process_max_fds', {}, maxFds)
    if (fs.existsSync('/proc/self/fd'))
      metrics.set('process_open_fds', {}, fs.readdirSync('/proc/self/fd').length)
    for (const quantile of QUANTILES) {
      const late = delay.percentile(quantile * 100) / 1e9 - RESOLUTION_MS / 1000
      metrics.set(
        'assay_event_loop_delay_seconds',
        { quantile: String(quantile) },
        Math.max(0, late),
      )
    }
    delay.reset()
  })
}

/** Counts the spans of a program's tracer. */
export function countSpans(
  metrics: Metrics<typeof PROCESS_METRICS>,
  counts: () => { readonly exported: number; readonly dropped: number },
): void {
  metrics.onScrape(() => {
    const { exported, dropped } = counts()
    metrics.setTotal('assay_spans_exported_total', {}, exported)
    metrics.setTotal('assay_spans_dropped_total', {}, dropped)
  })
}
