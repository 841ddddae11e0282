/** The result of methods that trace a whole block. */
import { z } from 'zod'
import type { Result } from '../../../wire/method.ts'
import { RpcError } from '../../../wire/errors.ts'
import { hashShape } from '../../../wire/shapes.ts'

/** Encodes one object per transaction, with its hash and its trace. */
export const blockTracesResult: Result<unknown> = {
  schema: z.array(z.strictObject({ txHash: hashShape, result: z.unknown() })),
  encode: (traces) => traces,
}

/**
 * The height of a block that can be re-executed; `name` is how the caller refers to it. Throws RpcError -32000 for an
 * unknown one and for the genesis, which has no state before it.
 */
export function requireTraceable(height: number | undefined, name: string): number {
  if (height === undefined) throw new RpcError('server', `block ${name} not found`)
  if (height === 0) throw new RpcError('server', 'genesis is not traceable')
  return height
}
