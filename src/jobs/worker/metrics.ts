/** The worker's metrics, for Prometheus. No metric distinguishes individual jobs, models or users. */
import { metric } from '../../base/metricTable.ts'

/** Every metric by its name; docs/metrics.md is generated from this table. */
export const WORKER_METRICS = {
  assay_worker_answer_seconds: metric(
    'histogram',
    ['outcome'],
    'Time to compute an answer and attest to it: answered or failed.',
  ),
  assay_worker_tokens_total: metric('counter', [], 'Tokens generated in answers.'),
  assay_worker_evidence_hardware: metric(
    'gauge',
    [],
    'Whether hardware attests to answers (1) or only software (0).',
  ),
} as const
