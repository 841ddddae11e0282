/**
 * The places of a schema that take something large, found by walking its definition. Each knows how to put a value of its own
 * into an otherwise small and valid whole.
 */
import { z } from 'zod'
import { formsOf, guardOf } from '../../src/base/boundedSchema.ts'

type Definition = Readonly<Record<string, unknown>> & { readonly type: string }

export type Spot = {
  readonly schema: z.ZodType
  readonly path: string
  readonly kind: 'list' | 'record' | 'text' | 'object' | 'any'
  /** Maximum of elements, members or characters; Infinity where only the whole has one. */
  readonly max: number
  /** Of a list's elements, or a record's values. */
  readonly element: z.ZodType | undefined
  readonly key: z.ZodType | undefined
  /** The whole value with this one in its place. */
  readonly place: (value: unknown) => unknown
}

function definitionOf(schema: z.ZodType): Definition {
  return schema._zod.def as unknown as Definition
}

function maxOf(schema: z.ZodType): number {
  const checks = (definitionOf(schema)['checks'] ?? []) as readonly z.core.$ZodCheck[]
  const maxima = checks.map((each) => (each._zod.def as { maximum?: number }).maximum ?? Infinity)
  return Math.min(...maxima, guardOf(schema)?.max ?? Infinity)
}

const DIGITS = '0123456789abcdef'.repeat(8)

/** What nearly every schema of this program takes one of. */
const CANDIDATES: readonly unknown[] = [
  `0x${DIGITS.slice(0, 40)}`,
  `0x${DIGITS.slice(0, 64)}`,
  '0x1',
  'latest',
  DIGITS.slice(0, 64),
  `0x${DIGITS}${DIGITS.slice(0, 2)}`,
  crypto.randomUUID(),
  'a',
  '1',
  1,
  true,
  {},
  [],
  null,
]

/** A small valid value, as far as one is found. */
export function small(schema: z.ZodType): unknown {
  const definition = definitionOf(schema)
  const { type, shape, items, innerType, element } = definition
  if (type === 'object') {
    const members = Object.entries(shape as Readonly<Record<string, z.ZodType>>)
    const required = members.filter(([, part]) => !part.safeParse(undefined).success)
    return Object.fromEntries(required.map(([name, part]) => [name, small(part)]))
  }
  if (type === 'tuple') return (items as readonly z.ZodType[]).map(small)
  if (type === 'array') {
    const isEmptyValid = schema.safeParse([]).success
    return isEmptyValid ? [] : [small(element as z.ZodType)]
  }
  if (type === 'literal' || type === 'enum') return [...(schema._zod.values ?? [])][0]
  if (type === 'pipe' && !CANDIDATES.some((each) => schema.safeParse(each).success))
    return small(definition['in'] as z.ZodType)
  if (innerType instanceof z.ZodType) return small(innerType)
  return CANDIDATES.find((each) => schema.safeParse(each).success)
}

/** Every place of a schema, its own first. */
export function spotsOf(
  schema: z.ZodType,
  path = '',
  place: Spot['place'] = (value) => value,
  seen: ReadonlySet<z.ZodType> = new Set(),
): readonly Spot[] {
  if (seen.has(schema)) return []
  const definition = definitionOf(schema)
  const { type, shape, items, innerType, element, keyType, valueType, options } = definition
  const inside = new Set([...seen, schema])
  const into = (part: unknown, step: string, put: Spot['place']): readonly Spot[] =>
    part instanceof z.ZodType
      ? spotsOf(part, path + step, (value) => place(put(value)), inside)
      : []
  const same = (value: unknown): unknown => value
  const spot = (kind: Spot['kind'], parts: Partial<Spot> = {}): Spot => {
    return {
      schema,
      path,
      kind,
      max: maxOf(schema),
      element: undefined,
      key: undefined,
      place,
      ...parts,
    }
  }
  switch (type) {
    case 'string':
      return [spot('text')]
    case 'array':
      return [
        spot('list', { element: element as z.ZodType }),
        ...into(element, '[]', (value) => [value]),
      ]
    case 'record': {
      const key = String(small(keyType as z.ZodType))
      return [
        spot('record', { element: valueType as z.ZodType, key: keyType as z.ZodType }),
        ...into(valueType, '{}', (value) => ({ [key]: value })),
      ]
    }
    case 'object': {
      const rest = small(schema) as object
      return [
        spot('object'),
        ...Object.entries(shape as object).flatMap(([name, part]) =>
          into(part, `.${name}`, (value) => ({ ...rest, [name]: value })),
        ),
      ]
    }
    case 'tuple':
      return (items as readonly z.ZodType[]).flatMap((part, at) =>
        into(part, `[${at}]`, (value) => (small(schema) as unknown[]).with(at, value)),
      )
    case 'union':
      return (options as readonly z.ZodType[]).flatMap((part) => into(part, '', same))
    case 'pipe':
      return into(definition['in'], '', same)
    case 'unknown':
    case 'any':
      return [spot('any'), ...(formsOf(schema) ?? []).flatMap((form) => into(form, '', same))]
    default:
      return into(innerType, '', same)
  }
}

/** The nth of many different valid keys. */
export function keyOf(schema: z.ZodType | undefined, at: number): string {
  const digits = at.toString(16)
  const shape = schema === undefined ? undefined : String(small(schema))
  return shape?.startsWith('0x') === true
    ? `0x${digits.padStart(shape.length - 2, '0')}`
    : `k${digits}`
}
