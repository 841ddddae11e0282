/**
 * A short way past zod for what nearly every caller of a hot method sends. A schema stays the one description of its
 * parameter: it decides all that the short way does not take, and words every error.
 */
import type { z } from 'zod'

/** The parsed value, or undefined where the schema has to decide. */
export type Accept<T> = (value: unknown) => T | undefined

const ACCEPTS = new WeakMap<z.ZodType, Accept<unknown>>()

/** Gives a schema a short way. What `accept` takes, the schema must parse to the same value. */
export function accepting<Schema extends z.ZodType>(
  schema: Schema,
  accept: Accept<z.output<Schema>>,
): Schema {
  ACCEPTS.set(schema, accept)
  return schema
}

/** The short way of a schema, if it has one. */
export function acceptOf(schema: z.ZodType): Accept<unknown> | undefined {
  return ACCEPTS.get(schema)
}
