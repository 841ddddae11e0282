/**
 * The trace of a job. Its ids are taken from the job's id, which dispatchers, operators, workers and every record have: so
 * all of a job's spans meet in one trace, over retries, replicas and days, and nothing has to be carried along (D112).
 */
import type { TraceContext } from '../base/tracing/context.ts'

/** The root span of a job (64 hex digits), made when it is submitted. */
export function jobTrace(jobId: string): TraceContext {
  return { traceId: jobId.slice(0, 32), spanId: jobId.slice(32, 48), isSampled: true }
}
