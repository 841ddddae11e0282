/** What the dispatcher counts, for Prometheus. No metric tells one project, job, user or token from another. */
import { metric, type Metrics } from '../../base/metricTable.ts'

/** Every metric by its name; docs/metrics.md is made from this table. */
export const DISPATCHER_METRICS = {
  assay_jobs_submitted_total: metric('counter', [], 'Jobs that were acknowledged.'),
  assay_submissions_refused_total: metric(
    'counter',
    ['error'],
    'Submissions that were refused, by the name of the error.',
  ),
  assay_handouts_total: metric('counter', [], 'Jobs handed to operators.'),
  assay_results_total: metric(
    'counter',
    ['outcome'],
    'What operators sent about jobs: recorded, refused (does not hold), late, repeated or failed.',
  ),
  assay_webhooks_total: metric(
    'counter',
    ['outcome'],
    'Attempts to tell a project how a job ended: delivered or failed.',
  ),
  assay_receipts_anchored_total: metric(
    'counter',
    [],
    'Receipts that this process found or put on the chain.',
  ),
  assay_operators_connected: metric('gauge', [], 'Operators connected to this process.'),
  assay_jobs_unfinished: metric(
    'gauge',
    ['state'],
    'Jobs in the database that are created or dispatched; the same at every replica.',
  ),
  assay_progress_streams: metric('gauge', [], 'Clients that follow a job at this process.'),
  assay_http_request_seconds: metric(
    'histogram',
    ['route', 'status'],
    'Time from the head of a request to the end of its answer.',
  ),
} as const

/** The dispatcher's metrics. */
export type DispatcherMetrics = Metrics<typeof DISPATCHER_METRICS>
