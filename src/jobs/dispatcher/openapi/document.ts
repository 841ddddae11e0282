/**
 * The OpenAPI 3.1 document of an application (D149): made of its routes as they are registered, and of their zod schemas
 * by zod's own JSON Schema.
 */
import type { FastifyInstance } from 'fastify'
import { API_ERRORS } from '../apiError.ts'
import { failure } from '../schemas.ts'
import { nameComponents } from './componentNames.ts'
import { createComponents, type JsonSchema } from './components.ts'
import { errorHeaders, nameOf, operationOf, pathOf, type DocumentedRoute } from './operation.ts'
import { tagList } from './tags.ts'

const HEADERS = {
  RequestId: {
    description: 'Identifies the request in the log of the dispatcher.',
    schema: { type: 'string' },
  },
  RetryAfter: {
    description: 'Seconds after which the same request may succeed.',
    schema: { type: 'integer' },
  },
}

const SECURITY = {
  projectToken: {
    type: 'http',
    scheme: 'bearer',
    description:
      'API token of a project (assay project create). Routes whose body has the field verify take it there, too.',
  },
}

/** The document of these routes. */
export function openApiDocument(routes: readonly DocumentedRoute[], version: string): JsonSchema {
  nameComponents()
  const components = createComponents()
  const error = components.convert(failure, 'output')
  const paths: Record<string, JsonSchema> = {}
  for (const route of routes)
    (paths[pathOf(route.url)] ??= {})[route.method.toLowerCase()] = operationOf(route, components)
  const described = JSON.stringify(paths)
  const responses = Object.entries(API_ERRORS)
    .map(([code, { help }]): readonly [string, JsonSchema] => [
      nameOf(code),
      {
        description: help,
        headers: errorHeaders(Number(code)),
        content: { 'application/json': { schema: error } },
      },
    ])
    .filter(([name]) => described.includes(`"#/components/responses/${name}"`))
  const used = new Set(Object.values(paths).flatMap((path) => Object.values(path).flatMap(tagsOf)))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Assay dispatcher',
      description: 'Submit inference jobs for verification and read their results.',
      version,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // Relative to the document: whoever has read it knows the address, which may be that of a proxy.
    servers: [{ url: '/', description: 'The dispatcher that serves this document.' }],
    tags: tagList().filter(({ name }) => used.has(name)),
    paths,
    components: {
      schemas: components.schemas,
      responses: Object.fromEntries(responses),
      headers: HEADERS,
      securitySchemes: SECURITY,
    },
  }
}

function tagsOf(operation: unknown): readonly string[] {
  return (operation as { readonly tags: readonly string[] }).tags
}

/** Collects the routes of an application from now on. The returned function makes the document, once. */
export function documentRoutes(app: FastifyInstance, version: string): () => JsonSchema {
  const routes: DocumentedRoute[] = []
  let document: JsonSchema | undefined
  app.addHook('onRoute', ({ method, url, schema }) => {
    if (schema?.hide === true) return
    for (const each of [method].flat())
      if (each !== 'HEAD' && each !== 'OPTIONS')
        routes.push({ method: each, url, schema: schema ?? {} })
  })
  return () => (document ??= openApiDocument(routes, version))
}
