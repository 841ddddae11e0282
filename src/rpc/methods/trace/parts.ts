/** Which parts of a replay to return. */
import { z } from 'zod'
import { list } from '../../../base/boundedSchema.ts'

const MAX_TYPES = 16

export const traceTypes = list(z.enum(['trace', 'stateDiff', 'vmTrace']), MAX_TYPES).meta({
  description: 'trace types: trace, stateDiff, vmTrace',
})
