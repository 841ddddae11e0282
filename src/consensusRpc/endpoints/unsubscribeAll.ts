import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const unsubscribe_all = cometMethod({
  summary: 'Ends all subscriptions of this connection.',
  args: {},
  websocketOnly: true,
  handler({ subscriptions }: Pick<CometServices, 'subscriptions'>, _args, { remote }): object {
    subscriptions.unsubscribeAll(remote)
    return {}
  },
})
