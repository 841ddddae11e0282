/** Routes that accept jobs: one at a time (interface.md, "Job submission"), or many. */
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { OWN, within } from '../../../base/boundedSchema.ts'
import { parseTraceparent } from '../../../base/tracing/context.ts'
import { jobTrace } from '../../jobTrace.ts'
import type { Caller } from '../access/access.ts'
import { ApiError, errorBody } from '../apiError.ts'
import { isServed } from '../jobs.ts'
import { batchEntry, batchSubmission, IDEMPOTENCY_KEY, submission, success } from '../schemas.ts'
import { newJob, type JobRequest } from '../submit/newJob.ts'
import { bearerOf, BODY_LIMIT, UNAUTHENTICATED } from '../requestBody.ts'
import { refusals, traceparentOf, type App, type RouteContext } from './context.ts'

const BATCH_BODY_LIMIT = 16 * 1024 * 1024

const idempotencyHeader = within(
  z.looseObject({
    'idempotency-key': z
      .string()
      .regex(IDEMPOTENCY_KEY, '1 to 255 visible ASCII characters')
      .optional()
      .describe('Repeating a request with the same key within a day returns the same job.'),
  }),
  OWN,
)

/** Adds the routes. */
export function addSubmitRoutes(app: App, context: RouteContext): void {
  const { sql, access, submitter, metrics } = context

  app.route({
    method: 'POST',
    url: '/api/job/submit',
    schema: {
      summary: 'Submits a job and returns its id.',
      headers: idempotencyHeader,
      body: submission,
      response: { 200: success(z.string()), ...refusals },
    },
    handler: async (request) => {
      const caller = await callerOf(request, request.body)
      const id = await counted(
        submit(request.body, caller, traceparentOf(request), request.headers['idempotency-key']),
      )
      return { code: 200 as const, result: id }
    },
  })

  app.route({
    method: 'POST',
    url: '/api/job/batch',
    bodyLimit: BATCH_BODY_LIMIT,
    schema: {
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
            return {
              code: 200,
              job_id: await counted(
                submit(job, caller, traceparentOf(request), job.idempotency_key),
              ),
            }
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

  async function submit(
    request: JobRequest,
    caller: Caller,
    traceparent: string | undefined,
    key?: string,
  ): Promise<string> {
    const { tag, model } = request.job
    if (context.unknownModel === 'refuse' && !(await isServed(sql, tag, model)))
      throw new ApiError(404, `no connected ${tag} operator serves the model ${model}`)
    const job = newJob(request, caller, context.deadlineMs, key)
    if (job.request.length > BODY_LIMIT)
      throw new ApiError(413, `the job is larger than ${BODY_LIMIT} bytes`)
    const began = performance.now()
    const id = await submitter.submit(job)
    context.wake()
    const from = parseTraceparent(traceparent)
    context.tracer?.record('job', {
      kind: 'producer',
      milliseconds: performance.now() - began,
      own: jobTrace(id),
      links: from && [from],
      attributes: { 'assay.job.id': id, 'assay.job.type': tag },
    })
    return id
  }

  async function counted(submitted: Promise<string>): Promise<string> {
    try {
      const id = await submitted
      metrics.add('assay_jobs_submitted_total', {})
      return id
    } catch (thrown) {
      const error = thrown instanceof ApiError ? errorBody(thrown, '').error : 'unavailable'
      metrics.add('assay_submissions_refused_total', { error })
      throw thrown
    }
  }
}
