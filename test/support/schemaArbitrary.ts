/** Values by a JSON Schema: those that fit, and those that nearly do. */
import fc from 'fast-check'

export type JsonSchema = Readonly<Record<string, unknown>>

/** Values for a property of a name, or of a schema, that lead further in: ids that exist, a token that lives. */
export type Hint = (name: string, schema: JsonSchema) => fc.Arbitrary<unknown> | undefined

/** Values at the edges of JSON. */
export const oddConstant = fc.constantFrom<unknown>(
  null,
  true,
  -1,
  0,
  1.5,
  2 ** 53,
  1e308,
  '',
  '\u0000',
  '\ud800',
  '__proto__',
)

const odd: fc.Arbitrary<unknown> = fc.oneof(
  oddConstant,
  fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }),
)

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const schemaOf = (value: unknown): JsonSchema => (value ?? {}) as JsonSchema
const bound = (value: unknown, otherwise: number): number =>
  typeof value === 'number' && Math.abs(value) < 2 ** 40 ? value : otherwise

/** Values that fit a schema as documents of this program have them (no references, no combinations but anyOf). */
export function fitting(schema: JsonSchema, hint: Hint, name = ''): fc.Arbitrary<unknown> {
  const hinted = hint(name, schema)
  if (hinted !== undefined) return hinted
  const { type, enum: values, const: constant, anyOf, pattern } = schema
  if (Array.isArray(type))
    return fc.oneof(...type.map((each: unknown) => fitting({ ...schema, type: each }, hint, name)))
  if (constant !== undefined) return fc.constant(constant)
  if (Array.isArray(values)) return fc.constantFrom(...values)
  if (Array.isArray(anyOf))
    return fc.oneof(...anyOf.map((each) => fitting(schemaOf(each), hint, name)))
  switch (type) {
    case 'string':
      return typeof pattern === 'string'
        ? fc.stringMatching(new RegExp(pattern)).map((text) => text.slice(0, 200))
        : fc.string({ maxLength: Math.min(bound(schema['maxLength'], 40), 40), unit: 'binary' })
    case 'integer':
      return fc.integer({
        min: bound(schema['minimum'], -1000),
        max: bound(schema['maximum'], 1000),
      })
    case 'number':
      return fc.double({
        min: bound(schema['minimum'], -1000),
        max: bound(schema['maximum'], 1000),
        noNaN: true,
      })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    case 'array':
      return arrays(schema, hint, name)
    case 'object':
      return objects(schema, hint)
    default:
      return odd
  }
}

function arrays(schema: JsonSchema, hint: Hint, name: string): fc.Arbitrary<unknown> {
  const { prefixItems } = schema
  if (Array.isArray(prefixItems))
    return fc.tuple(...prefixItems.map((each) => fitting(schemaOf(each), hint, name)))
  return fc.array(fitting(schemaOf(schema['items']), hint), {
    minLength: bound(schema['minItems'], 0),
    maxLength: Math.min(bound(schema['maxItems'], 3), 3),
  })
}

function objects(schema: JsonSchema, hint: Hint): fc.Arbitrary<unknown> {
  const { propertyNames, additionalProperties } = schema
  if (propertyNames !== undefined)
    return fc.dictionary(
      fitting(schemaOf(propertyNames), hint).map(String),
      fitting(schemaOf(additionalProperties), hint),
      { maxKeys: 3 },
    )
  const properties = Object.entries(schemaOf(schema['properties']))
  const required = list(schema['required']).map(String)
  return fc.record(
    Object.fromEntries(
      properties.map(([key, value]) => [key, fitting(schemaOf(value), hint, key)]),
    ),
    { requiredKeys: required },
  )
}

/** Values that fit, of which one part is another one, missing, or too much. */
export function nearly(schema: JsonSchema, hint: Hint): fc.Arbitrary<unknown> {
  return fc
    .tuple(fitting(schema, hint), odd, fc.nat(), fc.constantFrom('replace', 'remove', 'add'))
    .map(([value, other, at, how]) => {
      if (typeof value !== 'object' || value === null) return other
      const copy = structuredClone(value) as Record<string, unknown>
      const keys = Object.keys(copy)
      const key = keys[at % Math.max(1, keys.length)]
      if (how === 'add' || key === undefined) copy[`more${at}`] = other
      else if (how === 'remove') delete copy[key]
      else copy[key] = other
      return copy
    })
}

/** Any value at all. */
export const anything: fc.Arbitrary<unknown> = odd
