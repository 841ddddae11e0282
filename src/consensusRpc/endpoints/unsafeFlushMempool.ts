import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const unsafe_flush_mempool = cometMethod({
  summary: 'Drops every transaction of the pool, and what it remembers to have seen.',
  args: {},
  handler({ flushPool }: Pick<CometServices, 'flushPool'>) {
    flushPool()
    return {}
  },
})
