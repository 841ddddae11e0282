/** Routes for the owners of jobs. They require a token even where reads are open. */
import { z } from 'zod'
import { cancelJob, listDeadLetters, retryJob } from '../control.ts'
import { removeJob } from '../removal.ts'
import { deadLetter, deadLetterQuery, query, success } from '../schemas.ts'
import { ownerOf, refusals, type App, type RouteContext } from './context.ts'
import { QUERY_LIMIT } from '../requestBody.ts'

/** Adds the routes. */
export function addControlRoutes(app: App, context: RouteContext): void {
  app.route({
    method: 'POST',
    url: '/api/job/cancel',
    bodyLimit: QUERY_LIMIT,
    schema: {
      operationId: 'cancelJob',
      summary: 'Cancels an unfinished job. Answers that arrive later are not recorded.',
      body: query,
      response: { 200: success(z.literal('cancelled')), ...refusals },
    },
    handler: async (request) => {
      const { job_id: id, verify } = request.body
      await cancelJob(context.sql, { id, project: await ownerOf(context, request, verify) })
      context.halt(id)
      context.progress.wake()
      return { code: 200 as const, result: 'cancelled' as const }
    },
  })

  app.route({
    method: 'POST',
    url: '/api/job/retry',
    bodyLimit: QUERY_LIMIT,
    schema: {
      operationId: 'retryJob',
      summary: 'Retries a failed, expired or cancelled job, with a new deadline.',
      body: query,
      response: { 200: success(z.literal('created')), ...refusals },
    },
    handler: async (request) => {
      const { job_id: id, verify } = request.body
      const project = await ownerOf(context, request, verify)
      await retryJob(context.sql, { id, project }, context.deadlineMs)
      context.wake()
      return { code: 200 as const, result: 'created' as const }
    },
  })

  app.route({
    method: 'POST',
    url: '/api/job/delete',
    bodyLimit: QUERY_LIMIT,
    schema: {
      operationId: 'deleteJob',
      summary: 'Deletes a finished job with its prompt and results.',
      body: query,
      response: { 200: success(z.literal('deleted')), ...refusals },
    },
    handler: async (request) => {
      const { job_id: id, verify } = request.body
      await removeJob(context.sql, { id, project: await ownerOf(context, request, verify) })
      return { code: 200 as const, result: 'deleted' as const }
    },
  })

  app.route({
    method: 'POST',
    url: '/api/job/dead-letters',
    bodyLimit: QUERY_LIMIT,
    schema: {
      operationId: 'deadLetters',
      summary: 'Jobs of the project that failed or expired, newest first.',
      body: deadLetterQuery,
      response: { 200: success(z.array(deadLetter)), ...refusals },
    },
    handler: async (request) => {
      const { verify, limit, after } = request.body
      const project = await ownerOf(context, request, verify)
      const result = await listDeadLetters(context.sql, project, { limit, after })
      return { code: 200 as const, result }
    },
  })
}
