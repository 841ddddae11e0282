import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const unsafe_flush_mempool = cometMethod({
  summary: 'Removes all transactions from the pool and clears its cache of seen transactions.',
  args: {},
  async handler({ flushPool }: Pick<CometServices, 'flushPool'>): Promise<object> {
    await flushPool()
    return {}
  },
})
