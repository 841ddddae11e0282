/** The operator's metrics, for Prometheus. No metric distinguishes individual jobs or users. */
import { metric, type Metrics } from '../../base/metricTable.ts'

/** Every metric by its name; docs/metrics.md is generated from this table. */
export const OPERATOR_METRICS = {
  assay_operator_connected: metric('gauge', [], 'Whether the dispatcher is connected: 1 or 0.'),
  assay_operator_jobs_at_hand: metric('gauge', [], 'Jobs in progress.'),
  assay_operator_slots: metric('gauge', [], 'Maximum number of jobs held at a time.'),
  assay_operator_job_seconds: metric(
    'histogram',
    ['type', 'outcome'],
    'Time from taking a job to responding: answered, passed (not selected by the draw) or refused.',
  ),
  assay_operator_results_rejected_total: metric(
    'counter',
    [],
    'Results that the dispatcher rejected.',
  ),
} as const

/** The operator's metrics. */
export type OperatorMetrics = Metrics<typeof OPERATOR_METRICS>
