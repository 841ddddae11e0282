/** One route as an operation of the OpenAPI document. */
import type { FastifySchema } from 'fastify'
import { z } from 'zod'
import { API_ERRORS, type ErrorCode } from '../apiError.ts'
import { failure } from '../schemas.ts'
import type { Components, JsonSchema } from './components.ts'
import { tagOf } from './tags.ts'

declare module 'fastify' {
  /** What a route says about itself besides its schemas (D149). */
  interface FastifySchema {
    /** One sentence. */
    summary?: string
    description?: string
    /** Its name in clients; by default made from method and path. */
    operationId?: string
    /** Groups; by default one, by its path. */
    tags?: readonly string[]
    /** True for what is no part of the API. */
    hide?: boolean
    /** Whether callers need a project token: always (default), only where reads are closed, or never. */
    access?: 'project' | 'reader' | 'anybody'
    /** Media type of a successful response that is not JSON. */
    produces?: string
    /** Whether callers can have the successful response as a stream of events instead. */
    streams?: boolean
    /** Headers of a successful response by name, with what they say. */
    responseHeaders?: Readonly<Record<string, string>>
  }
}

/** What the document needs of a route. */
export type DocumentedRoute = {
  readonly method: string
  readonly url: string
  readonly schema: FastifySchema
}

/** Errors that any route can end with: the host is not served, or the program or its database fails. */
const ALWAYS: readonly ErrorCode[] = [403, 500, 503]

/** Whether waiting helps against an error. */
export const hasRetryAfter = (code: number): boolean => code === 429 || code === 503

const word = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** `GET /api/jobs` is `getApiJobs`. */
function derivedId({ method, url }: DocumentedRoute): string {
  const words = url.split(/[^A-Za-z0-9]+/).filter((part) => part !== '')
  return `${method.toLowerCase()}${words.map(word).join('')}`
}

/** Fastify calls the rest of a path "*", which is no name of a parameter. */
const REST = 'rest'

/** The path as templates of OpenAPI. */
export function pathOf(url: string): string {
  return url.replaceAll(/:(\w+)/g, '{$1}').replace(/\*$/, `{${REST}}`)
}

function parametersOf(
  { url, schema }: DocumentedRoute,
  { convert }: Components,
): readonly JsonSchema[] {
  const places = { path: schema.params, query: schema.querystring, header: schema.headers }
  const found = Object.entries(places).flatMap(([place, given]) => {
    if (!(given instanceof z.ZodType)) return []
    const { properties = {}, required = [] } = convert(given, 'input')
    return Object.entries(properties as JsonSchema).map(([name, value]) => {
      const { description, ...rest } = value as JsonSchema
      const isRequired = place === 'path' || (required as readonly string[]).includes(name)
      return {
        name: name === '*' ? REST : name,
        in: place,
        required: isRequired,
        ...(description !== undefined && { description }),
        schema: rest,
      }
    })
  })
  const named = new Set(found.map(({ name, in: place }) => `${place} ${name}`))
  const unnamed = [...pathOf(url).matchAll(/\{(\w+)\}/g)]
    .map(([, name = '']) => name)
    .filter((name) => !named.has(`path ${name}`))
    .map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  return [...found, ...unnamed]
}

const EVENTS = { 'text/event-stream': { schema: { type: 'string' } } }
const REQUEST_ID = { $ref: '#/components/headers/RequestId' }

function headersOf(schema: FastifySchema): JsonSchema {
  const own = Object.entries(schema.responseHeaders ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' } },
  ])
  return { 'x-request-id': REQUEST_ID, ...Object.fromEntries(own) }
}

/** The content of a response: a schema, or schemas by media type. */
function contentOf(given: unknown, produces: string, { convert }: Components): JsonSchema {
  if (given instanceof z.ZodType) return { [produces]: { schema: convert(given, 'output') } }
  const { content = {} } = given as { content?: Readonly<Record<string, { schema?: unknown }>> }
  return Object.fromEntries(
    Object.entries(content).map(([type, { schema }]) => [
      type,
      schema instanceof z.ZodType ? { schema: convert(schema, 'output') } : {},
    ]),
  )
}

function responsesOf(schema: FastifySchema, components: Components): JsonSchema {
  const given = (schema.response ?? {}) as Readonly<Record<string, unknown>>
  const { produces = 'application/json' } = schema
  const declared = Object.entries(given).map(([status, response]) => {
    if (response === failure) return [status, { $ref: `#/components/responses/${nameOf(status)}` }]
    const isError = Number(status) >= 400
    const type = isError ? 'application/json' : produces
    const { description } = response as { description?: string }
    return [
      status,
      {
        description: description ?? (isError ? helpOf(status) : 'Success.'),
        headers: isError ? errorHeaders(Number(status)) : headersOf(schema),
        content: {
          ...contentOf(response, type, components),
          ...(!isError && schema.streams === true && EVENTS),
        },
      },
    ]
  })
  const always = ALWAYS.filter((code) => !(code in given)).map((code) => [
    code,
    { $ref: `#/components/responses/${nameOf(code)}` },
  ])
  const success = '200' in given ? [] : [[200, textResponse(schema, produces)]]
  return Object.fromEntries([...success, ...declared, ...always]) as JsonSchema
}

/** A response that no schema describes. */
function textResponse(schema: FastifySchema, produces: string): JsonSchema {
  return {
    description: 'Success.',
    headers: headersOf(schema),
    content: { [produces]: { schema: { type: 'string' } } },
  }
}

const isKnown = (status: number): status is ErrorCode => Object.hasOwn(API_ERRORS, status)

function helpOf(status: string): string {
  return isKnown(Number(status)) ? API_ERRORS[Number(status) as ErrorCode].help : 'An error.'
}

/** The name of the component that an error of the API's own form is: `NotFound`. */
export function nameOf(status: string | number): string {
  const code = Number(status)
  return isKnown(code) ? API_ERRORS[code].name.split('_').map(word).join('') : `Error${code}`
}

/** Headers of an error response. */
export function errorHeaders(code: number): JsonSchema {
  const retry = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } }
  return { 'x-request-id': REQUEST_ID, ...(hasRetryAfter(code) && retry) }
}

/** A token in the header is one way only where the body or an open dispatcher offers another. */
function securityOf(schema: FastifySchema): readonly JsonSchema[] {
  const { access = 'project', body } = schema
  if (access === 'anybody') return []
  const isOptional = access === 'reader' || (body instanceof z.ZodObject && 'verify' in body.shape)
  return isOptional ? [{ projectToken: [] }, {}] : [{ projectToken: [] }]
}

/** The operation of a route; adds the named schemas that it refers to. */
export function operationOf(route: DocumentedRoute, components: Components): JsonSchema {
  const { schema } = route
  const { summary = '', description, body, tags = [tagOf(route.url)] } = schema
  const parameters = parametersOf(route, components)
  return {
    operationId: schema.operationId ?? derivedId(route),
    summary,
    ...(description !== undefined && { description }),
    tags,
    security: securityOf(schema),
    ...(parameters.length > 0 && { parameters }),
    ...(body instanceof z.ZodType && {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: components.convert(body, 'input') } },
      },
    }),
    responses: responsesOf(schema, components),
  }
}
