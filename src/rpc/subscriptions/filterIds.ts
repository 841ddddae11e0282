/** Filter ids on the wire, and the errors of the filter methods. */
import { scalarText } from '../../base/boundedSchema.ts'
import { RpcError } from '../../wire/errors.ts'
import type { Result } from '../../wire/method.ts'
import { fixedShape } from '../../wire/shapes.ts'

/** A filter id as given by a caller; an id that was never issued is simply not found. */
export const filterId = scalarText().meta({ description: 'filter id, as given by eth_new…Filter' })

/** Encodes a filter id. */
export const filterIdResult: Result<string> = { schema: fixedShape(16), encode: (id) => id }

/** The error for an id that is unknown or expired. */
export function filterNotFound(): RpcError {
  return new RpcError('server', 'filter not found')
}
