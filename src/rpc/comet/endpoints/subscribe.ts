import { ConsensusError } from '../../../consensus/engine.ts'
import { text } from '../argument.ts'
import { cometMethod } from '../method.ts'
import { readQuery } from '../readQuery.ts'
import type { CometServices } from '../world.ts'

const MAX_QUERY_BYTES = 512

export const subscribe = cometMethod({
  summary: 'Sends the events that match a query, under the id of this request.',
  args: { query: text },
  websocketOnly: true,
  handler(
    { subscriptions }: Pick<CometServices, 'subscriptions'>,
    { query },
    { remote, id, events },
  ): object {
    if (Buffer.byteLength(query) > MAX_QUERY_BYTES) {
      throw new ConsensusError('maximum query length exceeded')
    }
    subscriptions.subscribe(remote, readQuery(query), {
      deliver: (event) => events?.sendEvent(id, query, event) ?? false,
      cancelled: (reason) => events?.sendCancellation(id, reason),
    })
    return {}
  },
})
