import { toUpperHexDigits } from '../../base/hex.ts'
import { consensusHashText } from '../../events/cometEvents.ts'
import { bytes } from '../argument.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const broadcast_tx_sync = cometMethod({
  summary: 'Adds a transaction to the pool and returns the result of CheckTx.',
  args: { tx: bytes },
  async handler({ engine }: Pick<CometServices, 'engine'>, { tx }): Promise<object> {
    const { code, data, log, codespace } = await engine.broadcast(tx)
    return { code, data: toUpperHexDigits(data), log, codespace, hash: consensusHashText(tx) }
  },
})
