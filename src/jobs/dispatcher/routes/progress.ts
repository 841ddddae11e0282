/** Server-sent events of a job's progress (HTML standard, "Server-sent events"). */
import { z } from 'zod'
import { addressGroup } from '../../../base/addressGroup.ts'
import { OWN, scalarText, within } from '../../../base/boundedSchema.ts'
import { ApiError } from '../apiError.ts'
import { findDetail } from '../jobs.ts'
import {
  accessOfReaders,
  readerOf,
  refusals,
  unknownJob,
  type App,
  type RouteContext,
} from './context.ts'

/** Proxies close connections that are idle for long. */
const COMMENT_MS = 15_000
const MAX_STREAMS = 1000
/** Of one address, so that nobody takes them all. */
const MAX_STREAMS_OF_ONE = 100
const RETRY_SECONDS = 5

const progressStream = z
  .string()
  .describe(
    'A stream of events that ends with the job: created, dispatched, draw, and then completed, failed, expired or cancelled. The data of each is a JSON object, its id resumes after it.',
  )

/** Adds the route. */
export function addProgressRoute(app: App, context: RouteContext): void {
  const streams = new Map<string, number>()
  app.route({
    method: 'GET',
    url: '/api/job/events/:job_id',
    schema: {
      operationId: 'jobEvents',
      access: accessOfReaders(context),
      produces: 'text/event-stream',
      summary:
        'Streams the progress of a job (created, dispatched, draw, and how it ended) as text/event-stream.',
      params: z.object({ job_id: scalarText() }),
      headers: within(
        z.looseObject({
          'last-event-id': z.string().max(200).optional().describe('Resume after this event.'),
        }),
        OWN,
      ),
      response: {
        200: progressStream,
        ...refusals,
      },
    },
    handler: async (request, reply) => {
      const { job_id: job } = request.params
      const project = await readerOf(context, request)
      if ((await findDetail(context.sql.db, context.vault, job, project)) === undefined)
        throw unknownJob()
      const caller = addressGroup(request.raw.socket.remoteAddress)
      const own = streams.get(caller) ?? 0
      if (context.progress.count() >= MAX_STREAMS || own >= MAX_STREAMS_OF_ONE)
        throw new ApiError(503, 'too many progress streams are open', { retryAfter: RETRY_SECONDS })
      reply.hijack()
      const { raw } = reply
      streams.set(caller, own + 1)
      raw.once('close', () => {
        const left = (streams.get(caller) ?? 0) - 1
        if (left > 0) streams.set(caller, left)
        else streams.delete(caller)
      })
      raw.writeHead(200, {
        'content-type': 'text/event-stream',
        'cache-control': 'no-store',
        'x-request-id': request.id,
      })
      const comments = setInterval(() => raw.write(': still here\n\n'), COMMENT_MS)
      const stop = context.progress.watch(
        {
          job,
          send: ({ id, event, data }) =>
            raw.write(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
          end() {
            clearInterval(comments)
            raw.end()
          },
        },
        request.headers['last-event-id'],
      )
      raw.once('close', stop)
    },
  })
}
