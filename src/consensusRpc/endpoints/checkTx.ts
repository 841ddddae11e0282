import { bytes } from '../argument.ts'
import { encodeCheckTx } from '../encode/abci.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const check_tx = cometMethod({
  summary: 'Checks a transaction without adding it to the pool.',
  args: { tx: bytes },
  handler: async ({ application }: Pick<CometServices, 'application'>, { tx }): Promise<object> =>
    encodeCheckTx(await application.checkTx(tx, false)),
})
