/** The dispatcher's metrics, for Prometheus. No metric distinguishes individual projects, jobs, users or tokens. */
import { metric, type Metrics } from '../../base/metricTable.ts'

/** Buckets of the times of jobs, in seconds: from a cached answer to a night in the queue. */
export const JOB_SECONDS: readonly number[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 14_400, 43_200,
]

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
    'Responses of operators to jobs: recorded, refused (invalid), other_model (from another file than the pinned or registered one), late, repeated or failed.',
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
  assay_job_oldest_waiting_seconds: metric(
    'gauge',
    [],
    'Age of the oldest unfinished job in the database. The same on every replica.',
  ),
  assay_jobs_finished_total: metric(
    'counter',
    ['state'],
    'Jobs finished since this process started, by any replica: completed, failed, expired or cancelled. The same on every replica; 20 seconds late.',
  ),
  assay_job_seconds: metric(
    'histogram',
    ['state'],
    'Time from submission to the final state, of the same jobs. Buckets from 0.1 seconds to 12 hours.',
    JOB_SECONDS,
  ),
  assay_database_up: metric('gauge', [], 'Whether the database answered this scrape: 1 or 0.'),
  assay_database_connections: metric(
    'gauge',
    ['state'],
    "Connections of this process's pool: used or idle.",
  ),
  assay_database_waiting: metric('gauge', [], 'Statements waiting for a connection.'),
  assay_progress_streams: metric('gauge', [], 'Open streams of job progress on this process.'),
  assay_http_request_seconds: metric(
    'histogram',
    ['route', 'status'],
    'Time from the headers of a request to the end of its response.',
  ),
} as const

/** The dispatcher's metrics. */
export type DispatcherMetrics = Metrics<typeof DISPATCHER_METRICS>
