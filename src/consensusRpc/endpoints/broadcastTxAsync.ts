import { consensusHashText } from '../../events/cometEvents.ts'
import { bytes } from '../argument.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const broadcast_tx_async = cometMethod({
  summary: 'Adds a transaction to the pool and returns only its hash, whatever CheckTx says.',
  args: { tx: bytes },
  async handler({ engine }: Pick<CometServices, 'engine'>, { tx }): Promise<object> {
    // Waiting is cheap in one process, and lets the pool's own refusals (duplicate, too large, full) through.
    await engine.broadcast(tx, false)
    return { code: 0, data: '', log: '', codespace: '', hash: consensusHashText(tx) }
  },
})
