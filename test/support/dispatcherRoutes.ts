/** The routes of the dispatcher as its own framework knows them, without a dispatcher: no handler runs. */
import { jobApiDocument } from '../../src/cli/docs/jobApi.ts'
import { pino } from 'pino'
import { createMetrics } from '../../src/base/metrics.ts'
import { createHttpApp } from '../../src/jobs/dispatcher/http.ts'
import { DISPATCHER_METRICS } from '../../src/jobs/dispatcher/metrics.ts'
import { addRoutes } from '../../src/jobs/dispatcher/routes/all.ts'
import type { RouteContext } from '../../src/jobs/dispatcher/routes/context.ts'

export type DispatcherRoute = {
  readonly method: string
  readonly url: string
  /** Schemas by part of the request. */
  readonly schema: Readonly<Record<string, unknown>>
  /** Maximum size of a body, in bytes, where the route has one of its own. */
  readonly bodyLimit: number | undefined
}

/** All routes. */
export async function dispatcherRoutes(): Promise<readonly DispatcherRoute[]> {
  const log = pino({ level: 'silent' })
  const app = createHttpApp({ hosts: [], corsOrigins: [], version: '', log })
  const routes: DispatcherRoute[] = []
  app.addHook('onRoute', ({ method, url, schema = {}, bodyLimit }) => {
    routes.push({
      method: String(method),
      url,
      schema: schema as Readonly<Record<string, unknown>>,
      bodyLimit,
    })
  })
  addRoutes(app, routeContext())
  return routes
}

/** The OpenAPI document of a dispatcher whose reads are open. */
export function dispatcherDocument(): Readonly<Record<string, unknown>> {
  return jobApiDocument('0.0.0')
}

function routeContext(): RouteContext {
  const context: Partial<RouteContext> = {
    sql: {} as RouteContext['sql'],
    metrics: createMetrics(DISPATCHER_METRICS),
    openReads: true,
  }
  return context as RouteContext
}
