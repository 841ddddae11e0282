/**
 * A fast path around zod for what nearly every caller of a hot method sends. The schema remains the only description of
 * its parameter: it decides everything that the fast path does not accept, and words every error.
 */
import type { z } from 'zod'

/** The parsed value, or undefined where the schema must decide. */
export type Accept<T> = (value: unknown) => T | undefined

const ACCEPTS = new WeakMap<z.ZodType, Accept<unknown>>()

/** Gives a schema a fast path. Whatever `accept` accepts, the schema must parse to the same value. */
export function accepting<Schema extends z.ZodType>(
  schema: Schema,
  accept: Accept<z.output<Schema>>,
): Schema {
  ACCEPTS.set(schema, accept)
  return schema
}

/** The fast path of a schema, if it has one. */
export function acceptOf(schema: z.ZodType): Accept<unknown> | undefined {
  return ACCEPTS.get(schema)
}
