/** The route that lists the jobs of a project. It requires a token even where reads are open. */
import { z } from 'zod'
import { jobListQuery, listedJob, listJobs } from '../listJobs.ts'
import { success } from '../schemas.ts'
import { ownerOf, refusals, type App, type RouteContext } from './context.ts'

/** Adds the route. */
export function addListRoute(app: App, context: RouteContext): void {
  app.route({
    method: 'GET',
    url: '/api/jobs',
    schema: {
      operationId: 'listJobs',
      summary:
        'Jobs of the project, newest first, in pages; those that were moved to the archive are not among them.',
      querystring: jobListQuery,
      response: {
        200: success(z.array(listedJob)).extend({
          next: z
            .string()
            .optional()
            .describe('Pass it as `before` for the next page, if there is one.'),
        }),
        ...refusals,
      },
    },
    handler: async (request) => {
      const project = await ownerOf(context, request)
      const { jobs, next } = await listJobs(context.sql, project, request.query)
      return { code: 200 as const, result: jobs, ...(next !== undefined && { next }) }
    },
  })
}
