/** The routes of the dispatcher (interface.md, "Dispatcher API"), and its health. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ZodTypeProvider } from 'fastify-type-provider-zod'
import { sql } from 'kysely'
import { z } from 'zod'
import { ApiError } from './apiError.ts'
import type { Access } from './access/access.ts'
import { findDetail, findResults, isServed } from './jobs.ts'
import { detailRecord, failure, query, resultRecord, submission, success } from './schemas.ts'
import { IDEMPOTENCY_KEY } from './submit/idempotency.ts'
import { newJob } from './submit/newJob.ts'
import type { Submitter } from './submit/submit.ts'
import type { DispatcherSql } from './tables.ts'

export type RouteContext = {
  readonly sql: DispatcherSql
  readonly access: Access
  readonly submitter: Submitter
  readonly openReads: boolean
  readonly unknownModel: 'wait' | 'refuse'
  /** Called when a job is on disk. */
  readonly submitted: () => void
}

const refusals = {
  400: failure,
  401: failure,
  403: failure,
  404: failure,
  413: failure,
  415: failure,
  422: failure,
  429: failure,
  500: failure,
  503: failure,
}

const idempotencyHeader = z.looseObject({
  'idempotency-key': z
    .string()
    .regex(IDEMPOTENCY_KEY, '1 to 255 visible ASCII characters')
    .optional()
    .describe('A request that is sent again with the same key within a day is the same job.'),
})

/** Adds the routes to an application of `createHttpApp`. */
export function addRoutes(untyped: FastifyInstance, context: RouteContext): void {
  const { sql: store, access } = context
  const app = untyped.withTypeProvider<ZodTypeProvider>()

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
      const { body } = request
      const token = body.verify ?? bearerOf(request)
      const caller = token === undefined ? undefined : await access.authenticate(body.from, token)
      if (caller === undefined)
        throw new ApiError(401, 'verify is not a live token of the project in from')
      const { tag, model } = body.job
      if (context.unknownModel === 'refuse' && !(await isServed(store, tag, model)))
        throw new ApiError(404, `no connected ${tag} operator serves the model ${model}`)
      const key = request.headers['idempotency-key']
      const id = await context.submitter.submit(newJob(body, caller, key))
      context.submitted()
      return { code: 200 as const, result: id }
    },
  })

  app.route({
    method: 'POST',
    url: '/api/job/result',
    schema: {
      summary: 'Results of a job; an empty list while there are none.',
      body: query,
      response: { 200: success(z.array(resultRecord)), ...refusals },
    },
    handler: async (request) => {
      const project = await reader(request, request.body.verify)
      const result = await findResults(store, request.body.job_id, project)
      if (result === undefined) throw unknownJob()
      return { code: 200 as const, result }
    },
  })

  app.route({
    method: 'POST',
    url: '/api/job/detail',
    schema: {
      summary: 'The request of a job, and where it stands.',
      body: query,
      response: { 200: success(detailRecord), ...refusals },
    },
    handler: async (request) => {
      const project = await reader(request, request.body.verify)
      const result = await findDetail(store, request.body.job_id, project)
      if (result === undefined) throw unknownJob()
      return { code: 200 as const, result }
    },
  })

  const health = { 200: success(z.literal('ok')), 503: failure }
  app.route({
    method: 'GET',
    url: '/healthz',
    schema: { summary: 'Whether the process answers.', response: health },
    handler: async () => ({ code: 200 as const, result: 'ok' as const }),
  })
  app.route({
    method: 'GET',
    url: '/readyz',
    schema: { summary: 'Whether jobs can be stored.', response: health },
    handler: async () => {
      await sql`select 1`.execute(store.db)
      return { code: 200 as const, result: 'ok' as const }
    },
  })

  /** The project whose jobs the caller may read; undefined for all. A job of another project is an unknown one. */
  async function reader(
    request: FastifyRequest,
    verify: string | undefined,
  ): Promise<string | undefined> {
    if (context.openReads) return undefined
    const token = verify ?? bearerOf(request)
    const project = token === undefined ? undefined : await access.projectOf(token)
    if (project === undefined)
      throw new ApiError(401, 'reading needs a live project token, in verify or as a bearer token')
    return project
  }
}

function unknownJob(): ApiError {
  return new ApiError(404, 'there is no such job')
}

function bearerOf(request: FastifyRequest): string | undefined {
  return /^Bearer ([\x21-\x7e]+)$/i.exec(request.headers.authorization ?? '')?.[1]
}
