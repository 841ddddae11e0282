/**
 * Values of the wrong kind in go-ethereum's words, which clients match on (D12). It names the type of its own into which it
 * reads a value: a schema says which one that is.
 */
import type { z } from 'zod'

/** Parts a message from the type in it; no message contains it otherwise. */
const MARK = '\u0001'

const STRUCTS = new WeakMap<z.ZodType, string>()

/** The message of an issue: `value` is what cannot be read into `type`. */
export function unfit(value: string, type: string): string {
  return `${value}${MARK}${type}`
}

/** The message of an issue that go-ethereum words for a whole argument, wherever in it the value is. */
export function ofWhole(message: string): string {
  return unfit(message, '')
}

/** Names the type into which go-ethereum reads an object or a list. Changes the schema itself, so this comes last. */
export function readInto<Schema extends z.ZodType>(schema: Schema, struct: string): Schema {
  STRUCTS.set(schema, struct)
  return schema
}

/** The type that was named for a schema, or undefined. */
export function structOf(schema: z.ZodType): string | undefined {
  return STRUCTS.get(schema)
}

/** What JSON has for zod's kinds, and Go for those that it expects. */
const GIVEN: Readonly<Record<string, string>> = {
  number: 'number',
  string: 'string',
  boolean: 'bool',
  array: 'array',
  object: 'object',
}
const EXPECTED: Readonly<Record<string, string>> = {
  boolean: 'bool',
  string: 'string',
  number: 'float64',
  int: 'int',
}

type Unfit = { readonly value: string; readonly type: string }

function unfitOf(
  issue: z.core.$ZodIssue,
  isWhole: boolean,
  struct: string | undefined,
): Unfit | undefined {
  const [value = '', marked] = issue.message.split(MARK)
  if (marked !== undefined) return { value, type: marked }
  if (issue.code !== 'invalid_type') return undefined
  const given = GIVEN[/received (\w+)/.exec(issue.message)?.[1] ?? '']
  const isOwn = isWhole && (issue.expected === 'object' || issue.expected === 'array')
  const type = isOwn ? struct : EXPECTED[issue.expected]
  return given === undefined || type === undefined ? undefined : { value: given, type }
}

/** An issue at a path of an argument, which go-ethereum reads into `struct` if it is an object. */
export function describeInGo(
  issue: z.core.$ZodIssue,
  path: readonly PropertyKey[],
  struct: string | undefined,
): string {
  const place = path.map(String).join('.')
  const found = unfitOf(issue, path.length === 0, struct)
  if (found === undefined) return place === '' ? issue.message : `${place}: ${issue.message}`
  const { value, type } = found
  if (type === '') return value
  const fields = path.filter((name) => typeof name === 'string').join('.')
  if (fields === '') return `json: cannot unmarshal ${value} into Go value of type ${type}`
  if (struct === undefined) return `${place}: cannot unmarshal ${value} into ${type}`
  const field = `${struct.slice(struct.indexOf('.') + 1)}.${fields}`
  return `json: cannot unmarshal ${value} into Go struct field ${field} of type ${type}`
}
