/** Routes that accept jobs: one at a time (interface.md, "Job submission"), or many. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { OWN, within } from '../../../base/boundedSchema.ts'
import { parseTraceparent } from '../../../base/tracing/context.ts'
import { jobTrace } from '../../jobTrace.ts'
import type { Caller } from '../access/access.ts'
import { ApiError, errorBody } from '../apiError.ts'
import { isServed } from '../jobs.ts'
import {
  batchEntry,
  batchSubmission,
  IDEMPOTENCY_KEY,
  submission,
  success,
  warnings,
} from '../schemas.ts'
import { newJob, type JobRequest } from '../submit/newJob.ts'
import { warningsAbout } from '../submit/warnings.ts'
import { bearerOf, BODY_LIMIT, UNAUTHENTICATED } from '../requestBody.ts'
import { refusals, traceparentOf, type App, type RouteContext } from './context.ts'

const BATCH_BODY_LIMIT = 16 * 1024 * 1024

/** The header of a keyed submission. */
export const idempotencyHeader = within(
  z.looseObject({
    'idempotency-key': z
      .string()
      .regex(IDEMPOTENCY_KEY, '1 to 255 visible ASCII characters')
      .optional()
      .describe('Repeating a request with the same key within a day returns the same job.'),
  }),
  OWN,
)

/** What became of a submission. */
type Accepted = { readonly id: string; readonly warnings?: string[] }

/** Adds the routes. */
export function addSubmitRoutes(app: App, context: RouteContext): void {
  const { access } = context

  app.route({
    method: 'POST',
    url: '/api/job/submit',
    schema: {
      operationId: 'submitJob',
      summary: 'Submits a job and returns its id.',
      headers: idempotencyHeader,
      body: submission,
      response: { 200: success(z.string()).extend({ warnings }), ...refusals },
    },
    handler: async (request) => {
      const caller = await callerOf(request, request.body)
      const { id, ...said } = await acceptJob(context, request.body, {
        caller,
        traceparent: traceparentOf(request),
        key: request.headers['idempotency-key'],
      })
      return { code: 200 as const, result: id, ...said }
    },
  })

  app.route({
    method: 'POST',
    url: '/api/job/batch',
    bodyLimit: BATCH_BODY_LIMIT,
    schema: {
      operationId: 'submitJobs',
      summary:
        'Submits up to 1,000 jobs; each is stored or refused on its own. A body of more than 1 MiB needs the token as a bearer token.',
      body: batchSubmission,
      response: { 200: success(z.array(batchEntry)), ...refusals },
    },
    handler: async (request) => {
      const caller = await callerOf(request, request.body)
      const result = await Promise.all(
        request.body.jobs.map(async (job) => {
          try {
            const traceparent = traceparentOf(request)
            const key = job.idempotency_key
            const { id, ...said } = await acceptJob(context, job, { caller, traceparent, key })
            return { code: 200, job_id: id, ...said }
          } catch (thrown) {
            // An error in the whole request is the response to the whole request.
            if (!(thrown instanceof ApiError)) throw thrown
            const { code, message, error } = errorBody(thrown, request.id)
            return { code, message, error }
          }
        }),
      )
      return { code: 200 as const, result }
    },
  })

  async function callerOf(
    request: FastifyRequest,
    { from, verify }: { readonly from: string; readonly verify?: string | undefined },
  ): Promise<Caller> {
    const token = verify ?? bearerOf(request)
    const caller = token === undefined ? undefined : await access.authenticate(from, token)
    if (caller !== undefined) return caller
    throw new ApiError(401, UNAUTHENTICATED)
  }
}

/** Stores the job of a caller and resolves with its id. Rejects with ApiError (404, 413, 422, 429), which is counted. */
export async function acceptJob(
  context: RouteContext,
  request: JobRequest,
  from: {
    readonly caller: Caller
    readonly traceparent: string | undefined
    readonly key?: string | undefined
  },
): Promise<Accepted> {
  const { metrics } = context
  try {
    const accepted = await storeJob(context, request, from)
    metrics.add('assay_jobs_submitted_total', {})
    return accepted
  } catch (thrown) {
    const error = thrown instanceof ApiError ? errorBody(thrown, '').error : 'unavailable'
    metrics.add('assay_submissions_refused_total', { error })
    throw thrown
  }
}

async function storeJob(
  context: RouteContext,
  request: JobRequest,
  { caller, traceparent, key }: Parameters<typeof acceptJob>[2],
): Promise<Accepted> {
  const { tag } = request.job
  const job = newJob(request, caller, context.deadlineMs, key)
  if (context.unknownModel === 'refuse' && !(await isServed(context.sql, tag, job.model)))
    throw new ApiError(404, `no connected ${tag} operator serves the model ${job.model}`)
  if (job.request.length > BODY_LIMIT)
    throw new ApiError(413, `the job is larger than ${BODY_LIMIT} bytes`)
  const began = performance.now()
  // At once, so that jobs of a batch are stored in their order; a job that is stored is answered, whatever becomes of advice.
  const advice = warningsAbout(request.job, job.model, context).catch(() => [])
  const id = await context.submitter.submit(job)
  context.wake()
  const parent = parseTraceparent(traceparent)
  context.tracer?.record('job', {
    kind: 'producer',
    milliseconds: performance.now() - began,
    own: jobTrace(id),
    links: parent && [parent],
    attributes: { 'assay.job.id': id, 'assay.job.type': tag },
  })
  const said = await advice
  return { id, ...(said.length > 0 && { warnings: [...said] }) }
}
