/** Parameters that have several forms: the form is chosen by its type, so that an error speaks of the form that was meant. */
import { z } from 'zod'

/** Parses with another schema and hands its issues on. */
export function delegate<T>(schema: z.ZodType<T>, value: unknown, context: z.RefinementCtx): T {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  for (const { message, path } of parsed.error.issues)
    context.addIssue({ code: 'custom', message, path })
  return z.NEVER
}
