/** Routes by which third parties verify the outcome of a job. */
import { z } from 'zod'
import { scalarText } from '../../../base/boundedSchema.ts'
import { bundle } from '../../../proof/bundle/format.ts'
import { sentAsIs } from '../openapi/named.ts'
import { buildBundle, readTraces } from '../receipts/bundle.ts'
import { success, traceRecord } from '../schemas.ts'
import {
  inAnySource,
  accessOfReaders,
  readerOf,
  refusals,
  unknownJob,
  type App,
  type RouteContext,
} from './context.ts'

const params = z.object({ job_id: scalarText() })

/** Adds the routes. */
export function addReceiptRoutes(app: App, context: RouteContext): void {
  app.route({
    method: 'GET',
    url: '/api/job/receipt/:job_id',
    schema: {
      operationId: 'jobReceipt',
      access: accessOfReaders(context),
      summary: 'Everything needed to verify the answers of a job offline (assay job verify).',
      params,
      response: {
        200: success(sentAsIs(bundle)),
        ...refusals,
      },
    },
    handler: async (request) => {
      const project = await readerOf(context, request)
      const id = request.params.job_id
      const result = await inAnySource(context, id, (source) =>
        buildBundle(context.receipts, id, project, source),
      )
      if (result === undefined) throw unknownJob()
      return { code: 200 as const, result }
    },
  })

  app.route({
    method: 'GET',
    url: '/api/job/trace/:job_id',
    schema: {
      operationId: 'jobTrace',
      access: accessOfReaders(context),
      summary: 'The steps that opml answers commit to, per token and layer (assay job replay).',
      params,
      response: { 200: success(z.array(traceRecord)), ...refusals },
    },
    handler: async (request) => {
      const project = await readerOf(context, request)
      const id = request.params.job_id
      const result = await inAnySource(context, id, (source) =>
        readTraces(context.receipts, id, project, source),
      )
      if (result === undefined) throw unknownJob()
      return { code: 200 as const, result }
    },
  })
}
