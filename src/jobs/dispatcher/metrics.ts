/** The dispatcher's metrics, for Prometheus. No metric distinguishes individual projects, jobs, users or tokens. */
import { metric, type Metrics } from '../../base/metricTable.ts'

/** Every metric by its name; docs/metrics.md is generated from this table. */
export const DISPATCHER_METRICS = {
  assay_jobs_submitted_total: metric('counter', [], 'Jobs accepted and acknowledged.'),
  assay_submissions_refused_total: metric(
    'counter',
    ['error'],
    'Submissions refused, by name of the error.',
  ),
  assay_handouts_total: metric('counter', [], 'Jobs handed out to operators.'),
  assay_results_total: metric(
    'counter',
    ['outcome'],
    'Responses of operators to jobs: recorded, refused (invalid), late, repeated or failed.',
  ),
  assay_webhooks_total: metric(
    'counter',
    ['outcome'],
    'Attempts to deliver a webhook: delivered or failed.',
  ),
  assay_receipts_anchored_total: metric(
    'counter',
    [],
    'Receipts that this process anchored on the chain, or found anchored there.',
  ),
  assay_operators_connected: metric('gauge', [], 'Number of operators connected to this process.'),
  assay_jobs_unfinished: metric(
    'gauge',
    ['state'],
    'Unfinished jobs in the database: created or dispatched. The same on every replica.',
  ),
  assay_progress_streams: metric('gauge', [], 'Open streams of job progress on this process.'),
  assay_http_request_seconds: metric(
    'histogram',
    ['route', 'status'],
    'Time from the headers of a request to the end of its response.',
  ),
} as const

/** The dispatcher's metrics. */
export type DispatcherMetrics = Metrics<typeof DISPATCHER_METRICS>
