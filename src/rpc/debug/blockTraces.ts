/** What the methods that trace a whole block answer. */
import { z } from 'zod'
import type { Result } from '../../wire/method.ts'
import { hashShape } from '../../wire/shapes.ts'

/** Answers one object per transaction, with its hash and its trace. */
export const blockTracesResult: Result<unknown> = {
  schema: z.array(z.strictObject({ txHash: hashShape, result: z.unknown() })),
  encode: (traces) => traces,
}
