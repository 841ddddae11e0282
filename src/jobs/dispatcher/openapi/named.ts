/** What the OpenAPI document says about a schema besides its shape (D149). */
import { z } from 'zod'

const SHOWN_AS = new WeakMap<z.core.$ZodType, z.ZodType>()

/**
 * Gives a schema its name in the document, where it becomes a component, and an example. Changes no copy but the schema
 * itself, so that its guard stays.
 */
export function named<Schema extends z.ZodType>(
  id: string,
  schema: Schema,
  example?: z.input<Schema>,
): Schema {
  const examples = example === undefined ? {} : { examples: [example] }
  z.globalRegistry.add(schema, { ...z.globalRegistry.get(schema), ...examples, id })
  return schema
}

/** A value that is sent as it is, because it was made to fit `schema`, which is what the document shows. */
export function sentAsIs(schema: z.ZodType): z.ZodAny {
  const any = z.any()
  SHOWN_AS.set(any, schema)
  return any
}

/** The schema that the document shows in the place of another one. */
export function shownAs(schema: z.core.$ZodType): z.ZodType | undefined {
  return SHOWN_AS.get(schema)
}
