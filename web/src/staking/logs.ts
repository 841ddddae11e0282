/** Events of the staking contract. */
import { decodeEvent, type Decoded } from '../abi/book.ts'
import { itemsOf } from '../abi/store.ts'
import { STAKING } from '../chain/genesisAddresses.ts'
import type { Log } from '../chain/types.ts'
import type { Node } from '../net/context.ts'

export type StakingEvent = { readonly log: Log; readonly decoded: Decoded }

/** An address as a topic. */
export function topicOf(address: string): string {
  return `0x${address.slice(2).toLowerCase().padStart(64, '0')}`
}

/** Topics as eth_getLogs takes them. */
export type Topics = readonly (string | readonly string[] | null)[]

/** Events with any of these topics, the latest first, each once. Those of the end of a block are in no receipt: punishments.ts. */
export async function loadEvents(
  { ethereum }: Node,
  filters: readonly Topics[],
): Promise<readonly StakingEvent[]> {
  const answers = await Promise.all(
    filters.map((topics) =>
      ethereum('eth_getLogs', [{ address: STAKING, fromBlock: 'earliest', topics }]),
    ),
  )
  const logs = (answers as (readonly Log[])[]).flat()
  const unique = new Map(logs.map((log) => [`${log.blockNumber}-${log.logIndex}`, log]))
  return [...unique.values()]
    .sort(
      (a, b) =>
        Number(b.blockNumber) - Number(a.blockNumber) || Number(b.logIndex) - Number(a.logIndex),
    )
    .flatMap((log) => {
      const decoded = decodeEvent(itemsOf, log)
      return decoded === undefined ? [] : [{ log, decoded }]
    })
}

/** A parameter of an event; '' where it has none of that name. */
export function parameterOf({ decoded }: StakingEvent, name: string): string {
  return String(decoded.values[decoded.inputs.findIndex((input) => input.name === name)] ?? '')
}
