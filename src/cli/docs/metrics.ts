/** docs/metrics.md: the metrics of each program. */
import type { MetricTable } from '../../base/metricTable.ts'
import { PROCESS_METRICS } from '../../base/processMetrics.ts'
import { NODE_METRICS } from '../../node/metrics.ts'
import { DISPATCHER_METRICS } from '../../jobs/dispatcher/metrics.ts'
import { OPERATOR_METRICS } from '../../jobs/operator/metrics.ts'
import { WORKER_METRICS } from '../../jobs/worker/metrics.ts'
import { page, table } from './markdown.ts'

function metricsTable(metrics: MetricTable): readonly string[] {
  return table(
    ['name', 'kind', 'labels', 'meaning'],
    Object.entries(metrics).map(([name, { kind, labels, help }]) => [
      `\`${name}\``,
      kind,
      labels.join(', '),
      help,
    ]),
  )
}

const INTRODUCTION = `Every program serves its metrics at \`GET /metrics\`, in the Prometheus text format, along with those of its process. They hold no
secrets, and no label takes a value chosen by a client. \`deploy/\` has a dashboard and alert rules for them.`

/** The page. */
export function metricsPage(): string {
  return page(
    'Metrics',
    INTRODUCTION,
    '## Node',
    'At `metrics.address` (`--metrics.address=127.0.0.1:6060`); "off" (the default) costs nothing.',
    metricsTable(NODE_METRICS),
    '## Dispatcher',
    'At `dispatcher.address`, with the job API.',
    metricsTable(DISPATCHER_METRICS),
    '## Operator',
    'At `metrics_address` of its configuration file; off by default.',
    metricsTable(OPERATOR_METRICS),
    '## Worker',
    'At `assay worker --metrics host:port`; off by default.',
    metricsTable(WORKER_METRICS),
    '## Every program',
    metricsTable(PROCESS_METRICS),
  )
}
