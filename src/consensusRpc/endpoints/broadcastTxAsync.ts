import { consensusHashText } from '../../events/cometEvents.ts'
import { bytes } from '../argument.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const broadcast_tx_async = cometMethod({
  summary:
    'Gives a transaction to the pool and answers only its hash, whatever the check of it says.',
  args: { tx: bytes },
  async handler({ engine }: Pick<CometServices, 'engine'>, { tx }): Promise<object> {
    // Waiting costs little in one process, and lets the pool's own refusals (duplicate, too large, full) through.
    await engine.broadcast(tx)
    return { code: 0, data: '', log: '', codespace: '', hash: consensusHashText(tx) }
  },
})
