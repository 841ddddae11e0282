/** Which parts of a replay are wanted. */
import { z } from 'zod'

export const traceTypes = z
  .array(z.enum(['trace', 'stateDiff', 'vmTrace']))
  .meta({ description: 'parts: trace, stateDiff, vmTrace' })
