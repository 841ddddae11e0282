/** All routes of the dispatcher. Their schemas validate requests and generate the document at /openapi.json. */
import type { FastifyInstance } from 'fastify'
import { parseTraceparent } from '../../../base/tracing/context.ts'
import { traceparentOf, typed, type App, type RouteContext } from './context.ts'
import { addControlRoutes } from './control.ts'
import { addHealthRoutes } from './health.ts'
import { addListRoute } from './list.ts'
import { addNetworkRoutes } from './network.ts'
import { addOpenaiRoutes } from './openai.ts'
import { addProgressRoute } from './progress.ts'
import { addReadRoutes } from './read.ts'
import { addReceiptRoutes } from './receipts.ts'
import { addSubmitRoutes } from './submit.ts'

/** The table of routes. */
const ROUTES: readonly ((app: App, context: RouteContext) => void)[] = [
  addSubmitRoutes,
  addReadRoutes,
  addListRoute,
  addReceiptRoutes,
  addProgressRoute,
  addControlRoutes,
  addOpenaiRoutes,
  addNetworkRoutes,
  addHealthRoutes,
]

/** Routes whose refusals are counted, wherever in a request they happen. */
const SUBMISSIONS: ReadonlySet<string> = new Set([
  '/api/job/submit',
  '/api/job/batch',
  '/v1/chat/completions',
  '/v1/completions',
])

/** Adds the routes to an application from `createHttpApp`, with metrics. */
export function addRoutes(app: FastifyInstance, context: RouteContext): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    context.metrics.observe(
      'assay_http_request_seconds',
      { route, status: String(reply.statusCode) },
      reply.elapsedTime / 1000,
    )
    context.tracer?.record(`${request.method} ${route}`, {
      kind: 'server',
      milliseconds: reply.elapsedTime,
      parent: parseTraceparent(traceparentOf(request)),
      attributes: {
        'http.request.method': request.method,
        'http.route': route,
        'http.response.status_code': reply.statusCode,
      },
      isError: reply.statusCode >= 500,
    })
    if (reply.statusCode === 401 && SUBMISSIONS.has(route))
      context.metrics.add('assay_submissions_refused_total', { error: 'unauthenticated' })
  })
  for (const add of ROUTES) add(typed(app), context)
}
