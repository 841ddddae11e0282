import { text } from '../argument.ts'
import { cometMethod } from '../method.ts'
import { readQuery, requireQueryLength } from '../readQuery.ts'
import type { CometServices } from '../world.ts'

export const subscribe = cometMethod({
  summary: 'Streams the events that match a query, under the id of this request.',
  args: { query: text },
  websocketOnly: true,
  handler(
    { subscriptions }: Pick<CometServices, 'subscriptions'>,
    { query },
    { remote, id, events },
  ): object {
    requireQueryLength(query)
    subscriptions.subscribe(remote, readQuery(query), {
      deliver: (event, height) => events?.sendEvent({ id, query, height }, event) ?? false,
      cancelled: (reason) => events?.sendCancellation(id, reason),
    })
    return {}
  },
})
