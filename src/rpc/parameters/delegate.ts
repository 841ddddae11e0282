/**
 * Parameters that have several forms: the value's type selects the form, so that an error refers to the intended one.
 */
import { z } from 'zod'
import { parseToFirstIssue } from '../../base/boundedSchema.ts'

/** Parses with another schema and forwards its issues. */
export function delegate<T>(schema: z.ZodType<T>, value: unknown, context: z.RefinementCtx): T {
  const parsed = parseToFirstIssue(schema, value)
  if (parsed.success) return parsed.data
  for (const { message, path } of parsed.error.issues)
    context.addIssue({ code: 'custom', message, path })
  return z.NEVER
}
