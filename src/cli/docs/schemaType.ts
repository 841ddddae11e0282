/** A JSON Schema as a type of TypeScript. */
import type { JsonSchema } from './jobApi.ts'

const COMPONENT = '#/components/schemas/'

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')
const asSchemas = (value: unknown): readonly JsonSchema[] => (value ?? []) as readonly JsonSchema[]

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const fields = Object.entries(properties as Readonly<Record<string, JsonSchema>>).map(
    ([name, field]) => {
      const isRequired = (required as readonly string[]).includes(name)
      const comment =
        typeof field['description'] === 'string' ? `/** ${field['description']} */\n` : ''
      return `${comment}readonly ${JSON.stringify(name)}${isRequired ? '' : '?'}: ${schemaType(field)}`
    },
  )
  const isRecord = typeof additionalProperties === 'object' && fields.length === 0
  if (isRecord) return `Readonly<Record<string, ${schemaType(additionalProperties as JsonSchema)}>>`
  if (additionalProperties !== undefined && additionalProperties !== false)
    fields.push('readonly [key: string]: unknown')
  return fields.length === 0 ? 'Readonly<Record<string, unknown>>' : `{\n${fields.join('\n')}\n}`
}

/** The type of the values that fit a schema; components are types of the same name. */
export function schemaType(schema: JsonSchema): string {
  const { $ref: reference, type, items, prefixItems } = schema
  if (typeof reference === 'string') return reference.slice(COMPONENT.length)
  const alternatives = schema['anyOf'] ?? schema['oneOf']
  if (alternatives !== undefined) return union(asSchemas(alternatives).map(schemaType))
  if ('const' in schema) return JSON.stringify(schema['const'])
  if (Array.isArray(schema['enum']))
    return union(schema['enum'].map((each) => JSON.stringify(each)))
  if (Array.isArray(type))
    return union(type.map((each: unknown) => schemaType({ ...schema, type: each })))
  switch (type) {
    case 'integer':
    case 'number':
      return 'number'
    case 'string':
    case 'boolean':
    case 'null':
      return type
    case 'array':
      if (prefixItems !== undefined)
        return `readonly [${asSchemas(prefixItems).map(schemaType).join(', ')}]`
      return `readonly (${schemaType((items ?? {}) as JsonSchema)})[]`
    case 'object':
      return objectType(schema)
    default:
      return 'unknown'
  }
}
