/** What every program tells of its own process, read when it is asked for: watching each collection of garbage costs too much. */
import fs from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { metric, type Metrics } from './metricTable.ts'

/** In every program's metrics; docs/metrics.md is made from this table. */
export const PROCESS_METRICS = {
  process_cpu_seconds_total: metric('counter', [], 'Processor time, user and system, all threads.'),
  process_resident_memory_bytes: metric('gauge', [], 'Resident memory.'),
  process_start_time_seconds: metric('gauge', [], 'When the process began, as a Unix time.'),
  process_open_fds: metric('gauge', [], 'Open files and sockets. Linux only.'),
  nodejs_heap_size_used_bytes: metric('gauge', [], "Used bytes of the main thread's heap."),
  assay_event_loop_delay_seconds: metric(
    'gauge',
    ['quantile'],
    'How late timers of the main thread are: 0.5, 0.99, 0.999 and 1 (the longest) since the last scrape.',
  ),
} as const

/** Milliseconds between two looks at the event loop. A timer that is on time is this late, too. */
const RESOLUTION_MS = 20

const QUANTILES = [0.5, 0.99, 0.999, 1]

/** Reads them with each scrape. The clock that watches the event loop keeps no process alive. */
export function readProcess(metrics: Metrics<typeof PROCESS_METRICS>): void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const startedAt = Date.now() / 1000 - process.uptime()
  metrics.onScrape(() => {
    const { user, system } = process.cpuUsage()
    metrics.setTotal('process_cpu_seconds_total', {}, (user + system) / 1e6)
    metrics.set('process_resident_memory_bytes', {}, process.memoryUsage.rss())
    metrics.set('process_start_time_seconds', {}, startedAt)
    metrics.set('nodejs_heap_size_used_bytes', {}, process.memoryUsage().heapUsed)
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
