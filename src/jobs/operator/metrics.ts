/** What an operator counts, for Prometheus. No metric tells one job or user from another. */
import { metric, type Metrics } from '../../base/metricTable.ts'

/** Every metric by its name; docs/metrics.md is made from this table. */
export const OPERATOR_METRICS = {
  assay_operator_connected: metric('gauge', [], 'Whether the dispatcher is connected: 1 or 0.'),
  assay_operator_jobs_at_hand: metric('gauge', [], 'Jobs that are being done.'),
  assay_operator_slots: metric('gauge', [], 'Most jobs that are taken at once.'),
  assay_operator_job_seconds: metric(
    'histogram',
    ['type', 'outcome'],
    'Time from taking a job to its message: answered, passed (not selected by the draw) or refused.',
  ),
  assay_operator_results_rejected_total: metric(
    'counter',
    [],
    'Results that the dispatcher did not take.',
  ),
} as const

/** The operator's metrics. */
export type OperatorMetrics = Metrics<typeof OPERATOR_METRICS>
