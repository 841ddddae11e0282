/** The routes of the job API as its OpenAPI document has them, for references and for the typed client. */
import { createLog } from '../../base/log.ts'
import { createMetrics } from '../../base/metrics.ts'
import { createHttpApp } from '../../jobs/dispatcher/http.ts'
import { DISPATCHER_METRICS } from '../../jobs/dispatcher/metrics.ts'
import { documentRoutes } from '../../jobs/dispatcher/openapi/document.ts'
import { addRoutes } from '../../jobs/dispatcher/routes/all.ts'
import type { RouteContext } from '../../jobs/dispatcher/routes/context.ts'

export type JsonSchema = { readonly [key: string]: unknown }

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly parameters?: readonly {
    readonly name: string
    readonly in: 'path' | 'query' | 'header'
    readonly required: boolean
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

type Content = { readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>> }

export type JobApi = {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

/** What routes read while they are added. No handler runs, so the rest is never missed. */
function documentedContext(): RouteContext {
  const context: Partial<RouteContext> = {
    sql: {} as RouteContext['sql'],
    metrics: createMetrics(DISPATCHER_METRICS),
    openReads: true,
  }
  return context as RouteContext
}

/** The document of a dispatcher whose reads are open. */
export function jobApiDocument(version = ''): JobApi {
  const log = createLog('docs', 'silent')
  const app = createHttpApp({ hosts: [], corsOrigins: [], version, log })
  const document = documentRoutes(app, version)
  addRoutes(app, documentedContext())
  return document() as unknown as JobApi
}

/** All operations with their methods and paths, in the order of the routes. */
export function operationsOf({ paths }: JobApi): readonly (Operation & {
  readonly path: string
  readonly method: string
})[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      path,
      method: method.toUpperCase(),
    })),
  )
}
