import { text } from '../argument.ts'
import { cometMethod } from '../method.ts'
import { readQuery } from '../readQuery.ts'
import type { CometServices } from '../world.ts'

export const unsubscribe = cometMethod({
  summary: 'Ends the subscription to a query.',
  args: { query: text },
  websocketOnly: true,
  handler({ subscriptions }: Pick<CometServices, 'subscriptions'>, { query }, { remote }): object {
    subscriptions.unsubscribe(remote, readQuery(query))
    return {}
  },
})
