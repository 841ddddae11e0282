/** Fastify with zod (D149): requests are parsed and responses encoded by the schemas of a route, which also type its handler. */
import type { FastifySerializerCompiler, FastifyTypeProvider, FastifySchemaCompiler } from 'fastify'
import { z } from 'zod'

/** Types handlers by zod schemas: what they get is parsed, what they return is encoded. */
export interface ZodTypeProvider extends FastifyTypeProvider {
  readonly validator: this['schema'] extends z.ZodType ? z.output<this['schema']> : unknown
  readonly serializer: this['schema'] extends z.ZodType ? z.input<this['schema']> : unknown
}

const MAX_SHOWN = 3

/** Issues of a schema about one part of a request. Fastify adds which part, and makes an error of them. */
class SchemaIssues extends Error {
  override readonly name = 'SchemaIssues'
  readonly issues: readonly z.core.$ZodIssue[]

  constructor(issues: readonly z.core.$ZodIssue[]) {
    const shown = issues
      .slice(0, MAX_SHOWN)
      .map(({ path, message }) => `${path.join('.')}: ${message}`)
    super(shown.join('; '))
    this.issues = issues
  }
}

/** Parses a part of a request. */
export const parseWithZod: FastifySchemaCompiler<z.ZodType> =
  ({ schema }) =>
  (data: unknown) => {
    const parsed = schema.safeParse(data)
    return parsed.success
      ? { value: parsed.data }
      : { error: new SchemaIssues(parsed.error.issues) }
  }

/** Encodes a response; keys that its schema does not have are left out. Throws ZodError where it does not fit. */
export const encodeWithZod: FastifySerializerCompiler<z.ZodType> =
  ({ schema }) =>
  (data: unknown) =>
    JSON.stringify(z.encode(schema, data))

/** What was wrong with a request: paths as "jobs.1.tag", and why. undefined where the error is another one. */
export function issuesOf(
  error: unknown,
): readonly { readonly path: string; readonly message: string }[] | undefined {
  if (!(error instanceof SchemaIssues)) return undefined
  return error.issues.map(({ path, message }) => ({ path: path.map(String).join('.'), message }))
}
