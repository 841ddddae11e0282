/** Which parts of a replay to return. */
import { z } from 'zod'

export const traceTypes = z
  .array(z.enum(['trace', 'stateDiff', 'vmTrace']))
  .meta({ description: 'trace types: trace, stateDiff, vmTrace' })
