/** Reads the OpenAPI document of a dispatcher. */
import type { JsonSchema } from './schemaArbitrary.ts'

export type Operation = {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: Media
  readonly responses: Readonly<Record<string, Media & { readonly headers?: object }>>
}

export type Media = {
  readonly content?: Readonly<Record<string, { readonly schema: JsonSchema }>>
}

export type OpenApi = {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: Readonly<
    Record<'schemas' | 'responses', Readonly<Record<string, JsonSchema>>>
  >
}

/** The document with what its references point to in their places. It must not refer to itself in circles. */
export function dereferenced(document: unknown): OpenApi {
  const find = (reference: string): unknown =>
    reference
      .slice(2)
      .split('/')
      .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], document)
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    const { $ref: reference, ...own } = value as Record<string, unknown>
    const inner = Object.fromEntries(Object.entries(own).map(([key, part]) => [key, resolve(part)]))
    return typeof reference === 'string'
      ? { ...(resolve(find(reference)) as object), ...inner }
      : inner
  }
  return resolve(document) as OpenApi
}

/** All operations, with their paths and methods. */
export function operationsOf(
  document: OpenApi,
): readonly { readonly path: string; readonly method: string; readonly operation: Operation }[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}
