/** Walks values and the zod schemas that they fit: every leaf, and other values that the schema lets it have. */
import type { z } from 'zod'

export type Path = readonly (string | number)[]

type Definition = {
  readonly type: string
  readonly shape?: Readonly<Record<string, z.ZodType>>
  readonly element?: z.ZodType
  readonly valueType?: z.ZodType
  readonly innerType?: z.ZodType
  readonly in?: z.ZodType
  readonly options?: readonly z.ZodType[]
  readonly entries?: Readonly<Record<string, string>>
  readonly values?: readonly unknown[]
}

const definitionOf = (schema: z.ZodType): Definition => schema._zod.def

/** The schema behind optional values, defaults and transformations. */
function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType, in: input } = definitionOf(schema)
  const inner = innerType ?? input
  return inner === undefined ? schema : unwrap(inner)
}

/** Paths of all leaves that a schema has; list items and record entries are "*". */
export function schemaLeaves(schema: z.ZodType, path = ''): readonly string[] {
  const { shape, element, valueType } = definitionOf(unwrap(schema))
  const below = (name: string, part: z.ZodType) =>
    schemaLeaves(part, path === '' ? name : `${path}.${name}`)
  if (shape !== undefined) return Object.entries(shape).flatMap(([name, part]) => below(name, part))
  const each = element ?? valueType
  return each === undefined ? [path] : below('*', each)
}

/** The schema of a value in a structure, and its path with "*" for list items and record entries. */
export function schemaAt(
  schema: z.ZodType,
  path: Path,
): { readonly schema: z.ZodType; readonly name: string } {
  let here = unwrap(schema)
  const names: string[] = []
  for (const key of path) {
    const { shape, element, valueType } = definitionOf(here)
    const next = shape?.[key] ?? element ?? valueType
    if (next === undefined) throw new Error(`the schema has no ${path.join('.')}`)
    names.push(shape === undefined ? '*' : String(key))
    here = unwrap(next)
  }
  return { schema: here, name: names.join('.') }
}

/** Every value that is not a list or record, with its path. */
export function leavesOf(value: unknown, path: Path = []): readonly (readonly [Path, unknown])[] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  const entries = Array.isArray(value)
    ? value.map((each, index) => [index, each] as const)
    : Object.entries(value)
  return entries.flatMap(([key, each]) => leavesOf(each, [...path, key]))
}

type Parent = Record<string | number, unknown>

/** The value at a path; undefined where there is none. */
export function valueAt(value: unknown, path: Path): unknown {
  let here = value
  for (const key of path) here = (here as Parent | undefined)?.[key]
  return here
}

/** Sets the value at a path, in place. */
export function setAt(value: unknown, path: Path, to: unknown): void {
  const parent = valueAt(value, path.slice(0, -1)) as Parent
  parent[path.at(-1) ?? ''] = to
}

/** Other values that a leaf could have: all others of an enumeration, else ones of the same form. */
export function alternatives(schema: z.ZodType, value: unknown): readonly unknown[] {
  const { entries } = definitionOf(schema)
  if (entries !== undefined) return Object.values(entries).filter((each) => each !== value)
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'number') return [value + 1, Math.max(value - 1, 0), value + 100_000_000]
  const text = String(value)
  if (/^\d{4}-\d\d-\d\dT/.test(text)) return [text.replace(/^\d{4}/, '2021')]
  if (/^\d+$/.test(text)) return [String(BigInt(text) + 1n)]
  // In the middle: the beginning may be a name, the end may be padding.
  const at = text.length >> 1
  const other = text[at] === '3' ? '4' : '3'
  return [`${text.slice(0, at)}${other}${text.slice(at + 1)}`]
}
