/** The API that AI clients speak (D63, D139): a completion is a job, a project token the key. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { scalarText } from '../../../base/boundedSchema.ts'
import { modelReferenceText, parseModelReference } from '../../../base/modelName.ts'
import type { JobType } from '../../../proof/job/job.ts'
import type { Caller } from '../access/access.ts'
import { ApiError } from '../apiError.ts'
import { isServed } from '../jobs.ts'
import { listModels } from '../identities/listModels.ts'
import { completeStream, completeWhole, type Submitted } from '../openai/complete.ts'
import { modelList, modelObject, modelsOf } from '../openai/models.ts'
import { chat, chatCompletion, completion, HEADERS, textCompletion } from '../openai/reply.ts'
import { chatBody, completionBody, embeddingBody } from '../openai/request.ts'
import { chatJob, completionJob, requestOf, type Asked } from '../openai/toJob.ts'
import { openaiFailure } from '../openai/errorBody.ts'
import { bearerOf } from '../requestBody.ts'
import { traceparentOf, type App, type RouteContext } from './context.ts'
import { acceptJob, idempotencyHeader } from './submit.ts'

/** Requests that wait for their answers, all together. */
const MAX_WAITING = 1000
const BUSY_SECONDS = 5

const tags = ['openai']
const refusals = Object.fromEntries(
  [400, 401, 404, 409, 413, 429, 500, 502, 503, 504].map((status) => [status, openaiFailure]),
)

/** Adds the routes. */
export function addOpenaiRoutes(app: App, context: RouteContext): void {
  addCompletionRoutes(app, context)
  addModelRoutes(app, context)
  app.route({
    method: 'POST',
    url: '/v1/embeddings',
    schema: {
      operationId: 'createEmbedding',
      tags,
      summary: 'Not supported: no engine of this network computes embeddings.',
      body: embeddingBody,
      response: refusals,
    },
    handler: async (request) => {
      await callerOf(context, request)
      throw new ApiError(404, 'embeddings are not supported: no engine here computes them', {
        reason: 'unsupported_endpoint',
      })
    },
  })
}

function addCompletionRoutes(app: App, context: RouteContext): void {
  let waiting = 0
  const room = (reply: FastifyReply): void => {
    if (waiting >= MAX_WAITING)
      throw new ApiError(503, 'too many requests wait for answers', { retryAfter: BUSY_SECONDS })
    waiting++
    reply.raw.once('close', () => waiting--)
  }

  app.route({
    method: 'POST',
    url: '/v1/chat/completions',
    schema: {
      operationId: 'createChatCompletion',
      tags,
      summary: 'Answers a conversation: all at once, or as text/event-stream.',
      headers: idempotencyHeader,
      body: chatBody,
      streams: true,
      responseHeaders: PROOF_HEADERS,
      response: { 200: chatCompletion, ...refusals },
    },
    handler: async (request, reply) => {
      const caller = await callerOf(context, request)
      const asked = chatJob(request.body)
      room(reply)
      const job = await submit(context, request, caller, asked)
      if (!asked.streams) return completeWhole(context, job, reply, chat)
      await completeStream(context, job, reply, chat)
      return reply
    },
  })

  app.route({
    method: 'POST',
    url: '/v1/completions',
    schema: {
      operationId: 'createCompletion',
      tags,
      summary: 'Continues a text, which the model reads as it is.',
      headers: idempotencyHeader,
      body: completionBody,
      streams: true,
      responseHeaders: PROOF_HEADERS,
      response: { 200: textCompletion, ...refusals },
    },
    handler: async (request, reply) => {
      const caller = await callerOf(context, request)
      const asked = completionJob(request.body)
      room(reply)
      const job = await submit(context, request, caller, asked)
      if (!asked.streams) return completeWhole(context, job, reply, completion)
      await completeStream(context, job, reply, completion)
      return reply
    },
  })
}

/** What headers of an answer say (`HEADERS`), for the OpenAPI document. */
const PROOF_HEADERS = {
  [HEADERS.job]: 'Id of the job.',
  [HEADERS.receipt]: 'Path of the bundle that proves the answer.',
  [HEADERS.verifyId]: 'Digest of the signed statement; not on streams.',
}

function addModelRoutes(app: App, context: RouteContext): void {
  app.route({
    method: 'GET',
    url: '/v1/models',
    schema: {
      operationId: 'listModels',
      tags,
      summary: 'Models that connected operators serve.',
      response: { 200: modelList, ...refusals },
    },
    handler: async (request) => {
      await callerOf(context, request)
      return { object: 'list' as const, data: modelsOf(await listModels(context.sql)) }
    },
  })

  app.route({
    method: 'GET',
    url: '/v1/models/:model',
    schema: {
      operationId: 'retrieveModel',
      tags,
      summary: 'One of these models.',
      params: z.object({ model: scalarText().describe('Its name, encoded for a path.') }),
      response: { 200: modelObject, ...refusals },
    },
    handler: async (request) => {
      await callerOf(context, request)
      const name = request.params.model
      const found = modelsOf(await listModels(context.sql)).find(({ id }) => id === name)
      if (found === undefined) throw unknownModel(name)
      return found
    },
  })
}

/** The project of the key. Throws ApiError 401. */
async function callerOf({ access }: RouteContext, request: FastifyRequest): Promise<Caller> {
  const token = bearerOf(request)
  const caller = token === undefined ? undefined : await access.callerOf(token)
  if (caller !== undefined) return caller
  throw new ApiError(401, 'the API key is missing or wrong: send a project token as a bearer token')
}

function unknownModel(model: string, type?: JobType): ApiError {
  const who = type === undefined ? 'no connected operator' : `no connected ${type} operator`
  return new ApiError(404, `${who} serves the model ${model}`, {
    param: 'model',
    reason: 'model_not_found',
  })
}

async function typeFor({ sql }: RouteContext, { job, type }: Asked): Promise<JobType> {
  const model = modelReferenceText(parseModelReference(job.model) ?? { name: job.model })
  for (const each of type === undefined ? (['opml', 'tee'] as const) : [type])
    if (await isServed(sql, each, model)) return each
  throw unknownModel(job.model, type)
}

async function submit(
  context: RouteContext,
  request: FastifyRequest,
  caller: Caller,
  asked: Asked,
): Promise<Submitted> {
  const key = request.headers['idempotency-key']
  const isKeyed = typeof key === 'string'
  // Names that no model has are refused as such.
  const wanted = requestOf(asked, asked.type ?? 'opml')
  const tag = await typeFor(context, asked)
  const { id, warnings: said = [] } = await acceptJob(
    context,
    { ...wanted, job: { ...wanted.job, tag } },
    { caller, traceparent: traceparentOf(request), ...(isKeyed && { key }) },
  )
  const { includesUsage, job } = asked
  const warnings = [...asked.warnings, ...said]
  return { id, project: caller.project, model: job.model, warnings, includesUsage, isKeyed }
}
