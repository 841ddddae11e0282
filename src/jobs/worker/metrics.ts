/** What a worker counts, for Prometheus. No metric tells one job, model or user from another. */
import { metric } from '../../base/metricTable.ts'

/** Every metric by its name; docs/metrics.md is made from this table. */
export const WORKER_METRICS = {
  assay_worker_answer_seconds: metric(
    'histogram',
    ['outcome'],
    'Time to compute and attest an answer: answered or failed.',
  ),
  assay_worker_tokens_total: metric('counter', [], 'Tokens in answers.'),
  assay_worker_evidence_hardware: metric(
    'gauge',
    [],
    'Whether hardware attests to answers (1), or software alone (0).',
  ),
} as const
