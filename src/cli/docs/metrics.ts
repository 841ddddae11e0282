/** docs/metrics.md: what the dispatcher counts. */
import { METRICS } from '../../verify/dispatcher/metrics.ts'
import { page, table } from './markdown.ts'

/** The page. */
export function metricsPage(): string {
  return page(
    'Metrics',
    'Of the dispatcher, at `GET /metrics`, beside the process metrics of the Prometheus client.',
    table(
      ['name', 'kind', 'labels', 'meaning'],
      Object.entries(METRICS).map(([name, { kind, labels, help }]) => [
        `\`${name}\``,
        kind,
        labels.join(', '),
        help,
      ]),
    ),
  )
}
