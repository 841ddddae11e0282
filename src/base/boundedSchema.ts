/**
 * Schemas with a maximum, for what strangers send (D70). zod has none for records and for values of any shape, and asks
 * about length only after it has looked at all; these look first.
 */
import { z } from 'zod'
import { BOUNDS } from './bounds.ts'
import { isLarger, type JsonSize } from './jsonSize.ts'

/** How large a value is, in the unit of its bound; it may stop counting beyond `max`. */
type Measure = (value: unknown, max: number) => number

/** The maximum of a guarded schema. */
export type Guard = {
  readonly max: number
  /** What is counted: "characters", "members", … */
  readonly unit: string
  /** Everything inside the value counts, so what is inside needs no maximum of its own. */
  readonly isDeep: boolean
}

const GUARDS = new WeakMap<z.ZodType, Guard>()
const FORMS = new WeakMap<z.ZodType, () => readonly z.ZodType[]>()

/** The maximum that a schema checks before it parses, or undefined. */
export function guardOf(schema: z.ZodType): Guard | undefined {
  return GUARDS.get(schema)
}

/** The schemas that parse a value of several forms, or undefined for any other schema. */
export function formsOf(schema: z.ZodType): readonly z.ZodType[] | undefined {
  return FORMS.get(schema)?.()
}

/**
 * Refuses a value that is larger than `max` before the schema looks at it. Changes the schema itself; a copy of it
 * (`.meta()`, `.refine()`) has no guard, so this comes last.
 */
export function guarded<Schema extends z.ZodType>(
  schema: Schema,
  guard: Omit<Guard, 'isDeep'> & { readonly isDeep?: boolean; readonly measure: Measure },
): Schema {
  const { max, unit, isDeep = false, measure } = guard
  const { run } = schema._zod
  schema._zod.run = (payload, context) => {
    if (measure(payload.value, max) <= max) return run(payload, context)
    payload.issues.push({
      code: 'custom',
      message: `too long: at most ${max} ${unit}`,
      input: payload.value,
      inst: schema,
      continue: false,
    })
    return payload
  }
  GUARDS.set(schema, { max, unit, isDeep })
  return schema
}

function memberCount(value: unknown, max: number): number {
  let count = 0
  if (typeof value === 'object') for (const _ in value) if (++count > max) break
  return count
}

/** Text of at most `max` characters. `wrongKind` is the message for anything else than a text. */
export function text(max: number, wrongKind?: string): z.ZodString {
  return z.string(wrongKind).max(max, { abort: true, error: `too long: at most ${max} characters` })
}

/** The text of a number, address, hash, name or id. */
export function scalarText(wrongKind?: string): z.ZodString {
  return text(BOUNDS.scalar, wrongKind)
}

/** A list of at most `max` elements. */
export function list<Element extends z.ZodType>(
  element: Element,
  max: number,
  message = `too long: at most ${max} elements`,
): z.ZodArray<Element> {
  return z.array(element).max(max, message)
}

/** A record of at most `max` members. */
export function record<Value extends z.ZodType>(
  value: Value,
  max: number,
  key: z.ZodString = scalarText(),
): z.ZodRecord<z.ZodString, Value> {
  return guarded(z.record(key, value), { max, unit: 'members', measure: memberCount })
}

/** A schema for a value whose parts have no maximum of their own: all of it together has one. */
export function within<Schema extends z.ZodType>(schema: Schema, limit: JsonSize): Schema {
  const unit = `values with ${limit.characters} characters`
  return guarded(schema, {
    max: limit.values,
    unit,
    isDeep: true,
    measure: (value) => (isLarger(value, limit) ? Infinity : 0),
  })
}

/** The maximum of an object whose members are the caller's own. */
export const OWN: JsonSize = { values: BOUNDS.ownValues, characters: BOUNDS.ownText }

/** A value of several forms: a transform behind it selects which of them parses it. Without any, it is not read. */
export function oneOfForms(
  forms: () => readonly z.ZodType[],
  schema: z.ZodUnknown = z.unknown(),
): z.ZodUnknown {
  FORMS.set(schema, forms)
  return schema
}

/** zod's own switch of `validate`: what is left unread after the first issue costs nothing. */
const FIRST_ISSUE: object = { abortEarly: true }

/** Parses as `safeParse` does, up to the first issue. */
export function parseToFirstIssue<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.output<Schema>> {
  return schema.safeParse(value, FIRST_ISSUE)
}
