/** Routes for those who run the dispatcher. */
import { z } from 'zod'
import { checkWrites } from '../../../store/sql/open.ts'
import { createJobMetrics } from '../jobMetrics.ts'
import { failure, success } from '../schemas.ts'
import type { App, RouteContext } from './context.ts'

/** Adds the routes. */
export function addHealthRoutes(app: App, context: RouteContext): void {
  const jobs = createJobMetrics(context.sql, context.metrics)
  const response = { 200: success(z.literal('ok')), 503: failure }
  app.route({
    method: 'GET',
    url: '/healthz',
    schema: {
      operationId: 'health',
      access: 'anybody',
      summary: 'Whether the process is alive.',
      response,
    },
    handler: async () => ({ code: 200 as const, result: 'ok' as const }),
  })

  app.route({
    method: 'GET',
    url: '/readyz',
    schema: {
      operationId: 'readiness',
      access: 'anybody',
      summary: 'Whether the process is ready to store jobs.',
      response,
    },
    handler: async () => {
      await checkWrites(context.sql)
      return { code: 200 as const, result: 'ok' as const }
    },
  })

  app.route({
    method: 'GET',
    url: '/metrics',
    schema: {
      operationId: 'metrics',
      access: 'anybody',
      produces: 'text/plain',
      summary: 'Metrics in the Prometheus text format (docs/metrics.md).',
    },
    handler: async (request, reply) => {
      await jobs.read()
      context.metrics.set('assay_progress_streams', {}, context.progress.count())
      const { type, text } = await context.metrics.scrape(request.headers.accept)
      return reply.type(type).send(text)
    },
  })
}
