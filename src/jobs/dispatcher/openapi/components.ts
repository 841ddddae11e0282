/** Converts zod schemas to JSON Schema 2020-12, with those that have names as components of the document. */
import { z } from 'zod'
import { shownAs } from './named.ts'

export type JsonSchema = { [key: string]: unknown }

/** Whose values a schema describes: those of a caller, before parsing, or those of a response. */
export type Direction = 'input' | 'output'

export type Components = {
  /** The schema, with references to components instead of what has a name. */
  convert(schema: z.ZodType, io: Direction): JsonSchema
  /** All components so far, by name. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
}

/** Largest integers of JavaScript say nothing to a reader. */
function withoutSafeBounds(schema: JsonSchema): void {
  for (const key of ['minimum', 'maximum'])
    if (Math.abs(Number(schema[key])) === Number.MAX_SAFE_INTEGER) delete schema[key]
}

/** Whether objects with other keys than those of the schema are refused. */
function isStrict(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod as { def: { catchall?: z.core.$ZodType } }
  return def.catchall?._zod.def.type === 'never'
}

/** Components without any schema. */
export function createComponents(): Components {
  const schemas: Record<string, JsonSchema> = {}

  /** Takes a named schema in. One that differs for callers and for responses has two names. */
  function nameOf(id: string, schema: JsonSchema, io: Direction): string {
    const known = schemas[id]
    if (known === undefined) schemas[id] = schema
    else if (JSON.stringify(known) !== JSON.stringify(schema)) {
      const name = `${id}${io === 'input' ? 'Input' : 'Output'}`
      schemas[name] = schema
      return name
    }
    return id
  }

  function convert(schema: z.ZodType, io: Direction): JsonSchema {
    const converted = z.toJSONSchema(schema, {
      io,
      unrepresentable: 'any',
      override({ zodSchema, jsonSchema }) {
        const shown = shownAs(zodSchema)
        if (shown !== undefined) Object.assign(jsonSchema, convert(shown, 'input'))
        withoutSafeBounds(jsonSchema)
        // Newer dispatchers may answer with more keys, and unknown keys of callers are ignored.
        if (jsonSchema.additionalProperties === false && !isStrict(zodSchema))
          delete jsonSchema.additionalProperties
      },
    }) as JsonSchema
    const { $schema: _dialect, $defs: definitions = {}, ...root } = converted
    return lift(root, definitions as Readonly<Record<string, JsonSchema>>, io)
  }

  function lift(
    root: JsonSchema,
    definitions: Readonly<Record<string, JsonSchema>>,
    io: Direction,
  ): JsonSchema {
    const names = new Map<string, string>()
    const lifted = (id: string): string => {
      const known = names.get(id)
      if (known !== undefined) return known
      // Before its own parts are looked at, since they may refer to it.
      names.set(id, id)
      const name = nameOf(id, referring(definitions[id]) as JsonSchema, io)
      names.set(id, name)
      return name
    }
    const referring = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(referring)
      if (typeof value !== 'object' || value === null) return value
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => {
          const id = key === '$ref' ? /^#\/\$defs\/(.+)$/.exec(String(inner))?.[1] : undefined
          if (id !== undefined) return [key, `#/components/schemas/${lifted(id)}`]
          // Data, which may have keys that look like those of schemas.
          return [key, DATA.has(key) ? inner : referring(inner)]
        }),
      )
    }
    return referring(root) as JsonSchema
  }

  return { convert, schemas }
}

const DATA: ReadonlySet<string> = new Set(['examples', 'default', 'const', 'enum'])
