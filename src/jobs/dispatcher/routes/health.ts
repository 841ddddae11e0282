/** Routes for those who run the dispatcher. */
import { sql } from 'kysely'
import { z } from 'zod'
import { checkWrites } from '../../../store/sql/open.ts'
import { jobIs } from '../lifecycle/predicates.ts'
import { UNFINISHED_JOB_STATES } from '../lifecycle/states.ts'
import { failure, success } from '../schemas.ts'
import type { App, RouteContext } from './context.ts'

/** Adds the routes. */
export function addHealthRoutes(app: App, context: RouteContext): void {
  const response = { 200: success(z.literal('ok')), 503: failure }
  app.route({
    method: 'GET',
    url: '/healthz',
    schema: { summary: 'Whether the process is alive.', response },
    handler: async () => ({ code: 200 as const, result: 'ok' as const }),
  })

  app.route({
    method: 'GET',
    url: '/readyz',
    schema: { summary: 'Whether the process is ready to store jobs.', response },
    handler: async () => {
      await checkWrites(context.sql)
      return { code: 200 as const, result: 'ok' as const }
    },
  })

  app.route({
    method: 'GET',
    url: '/metrics',
    schema: { summary: 'Metrics in the Prometheus text format (docs/metrics.md).' },
    handler: async (_request, reply) => {
      const counts = await context.sql.db
        .selectFrom('jobs')
        .select(['state', sql<bigint>`count(*)`.as('count')])
        .where(jobIs('unfinished'))
        .groupBy('state')
        .execute()
      for (const state of UNFINISHED_JOB_STATES) {
        const count = counts.find((row) => row.state === state)?.count ?? 0n
        context.metrics.set('assay_jobs_unfinished', { state }, Number(count))
      }
      context.metrics.set('assay_progress_streams', {}, context.progress.count())
      const { type, text } = await context.metrics.scrape()
      return reply.type(type).send(text)
    },
  })
}
