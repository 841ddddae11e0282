/** Finds the parts of a zod schema that have no maximum: it reads the definitions, so that no part can be forgotten (D70). */
import { z } from 'zod'
import { formsOf, guardOf } from '../../src/base/boundedSchema.ts'

type Definition = Readonly<Record<string, unknown>> & { readonly type: string }
type Check = { readonly check: string; readonly pattern?: RegExp }

function definitionOf(schema: z.ZodType): Definition {
  return schema._zod.def as unknown as Definition
}

function checksOf(schema: z.ZodType): readonly Check[] {
  // A format (`z.uuid()`) is its own check.
  const own = 'check' in definitionOf(schema) ? [schema] : []
  const given = (definitionOf(schema)['checks'] ?? []) as readonly z.core.$ZodCheck[]
  return [...own, ...given].map((each) => each._zod.def as unknown as Check)
}

function hasLength(schema: z.ZodType): boolean {
  return checksOf(schema).some(({ check }) => check === 'max_length' || check === 'length_equals')
}

/** Whether a pattern fits texts up to some length only: it is anchored, and nothing in it repeats without end. */
export function isFinite({ source }: RegExp): boolean {
  const bare = source.replaceAll(/\\.|\[(?:\\.|[^\]])*\]/g, 'x')
  const inner = bare.slice(1, -1)
  return bare.startsWith('^') && bare.endsWith('$') && !/[*+]|\{\d+,\}/.test(inner)
}

/** Types that have no size. A number in JSON is one value, whatever its digits. */
const WITHOUT_SIZE: ReadonlySet<string> = new Set([
  'boolean',
  'enum',
  'literal',
  'never',
  'null',
  'number',
  'undefined',
  'void',
  // What a transform makes of a value that has passed its own schema.
  'transform',
])

/** The places without a maximum, each as a path and the reason. */
export function unboundedParts(
  schema: z.ZodType,
  path = '',
  seen: ReadonlySet<z.ZodType> = new Set(),
): readonly string[] {
  const guard = guardOf(schema)
  if (guard?.isDeep === true || seen.has(schema)) return []
  const definition = definitionOf(schema)
  const { type } = definition
  const inside = new Set([...seen, schema])
  const within = (part: unknown, step: string): readonly string[] =>
    part instanceof z.ZodType ? unboundedParts(part, `${path}${step}`, inside) : []
  const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
  const complain = (isBounded: boolean, what: string): readonly string[] =>
    isBounded ? [] : [`${path}: ${what} without a maximum`]

  switch (type) {
    case 'string':
      return complain(
        hasLength(schema) || checksOf(schema).some(({ pattern }) => pattern && isFinite(pattern)),
        'a text',
      )
    case 'array':
      return [...complain(hasLength(schema), 'a list'), ...within(definition['element'], '[]')]
    case 'record':
      return [
        ...complain(guard !== undefined, 'a record'),
        ...within(definition['keyType'], '{key}'),
        ...within(definition['valueType'], '{}'),
      ]
    case 'object': {
      const { shape, catchall } = definition
      return [
        ...Object.entries(shape as object).flatMap(([name, part]) => within(part, `.${name}`)),
        ...(catchall === undefined
          ? []
          : [...complain(guard !== undefined, 'an open object'), ...within(catchall, '.*')]),
      ]
    }
    case 'union':
      return list(definition['options']).flatMap((part, at) => within(part, `|${at}`))
    case 'tuple':
      return [
        ...list(definition['items']).flatMap((part, at) => within(part, `[${at}]`)),
        ...(definition['rest'] == null ? [] : complain(false, 'the rest of a tuple')),
      ]
    case 'pipe':
      return [...within(definition['in'], ''), ...within(definition['out'], '')]
    case 'unknown':
    case 'any':
    case 'custom': {
      const forms = formsOf(schema)
      if (forms === undefined) return complain(false, 'a value of any shape')
      return forms.flatMap((form, at) => within(form, `?${at}`))
    }
    default:
      if (WITHOUT_SIZE.has(type)) return []
      // Optional, nullable, default, readonly and the like wrap one schema.
      return 'innerType' in definition
        ? within(definition['innerType'], '')
        : complain(false, `a ${type}`)
  }
}
