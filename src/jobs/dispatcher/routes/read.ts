/** Routes that show a job (interface.md, "Job result record", "Job detail record"). */
import { z } from 'zod'
import { jobHeads } from '../jobHeads.ts'
import { findDetail, findResults } from '../jobs.ts'
import { detailRecord, query, resultRecord, success } from '../schemas.ts'
import {
  inAnySource,
  accessOfReaders,
  readerOf,
  refusals,
  unknownJob,
  type App,
  type RouteContext,
} from './context.ts'
import { QUERY_LIMIT } from '../requestBody.ts'

/** Adds the routes. */
export function addReadRoutes(app: App, context: RouteContext): void {
  const heads = jobHeads(context.sql.db)
  app.route({
    method: 'POST',
    url: '/api/job/result',
    bodyLimit: QUERY_LIMIT,
    config: { isOpen: context.openReads },
    schema: {
      operationId: 'jobResults',
      access: accessOfReaders(context),
      summary: 'Results of a job; an empty list while there are none.',
      body: query,
      response: { 200: success(z.array(resultRecord)), ...refusals },
    },
    handler: async (request) => {
      const project = await readerOf(context, request, request.body.verify)
      const id = request.body.job_id
      const result = await inAnySource(context, id, (source) =>
        findResults(
          source,
          source === context.sql.db ? heads : jobHeads(source),
          context.vault,
          id,
          project,
        ),
      )
      if (result === undefined) throw unknownJob()
      return { code: 200 as const, result }
    },
  })

  app.route({
    method: 'POST',
    url: '/api/job/detail',
    bodyLimit: QUERY_LIMIT,
    config: { isOpen: context.openReads },
    schema: {
      operationId: 'jobDetail',
      access: accessOfReaders(context),
      summary: 'The request of a job and its status.',
      body: query,
      response: { 200: success(detailRecord), ...refusals },
    },
    handler: async (request) => {
      const project = await readerOf(context, request, request.body.verify)
      const id = request.body.job_id
      const result = await inAnySource(context, id, (source) =>
        findDetail(source, context.vault, id, project),
      )
      if (result === undefined) throw unknownJob()
      return { code: 200 as const, result }
    },
  })
}
