/** Events as subscribers receive them (interface.md, "Events"). */
import type { CometEvent, CometEventData } from '../../../events/cometEvents.ts'
import { encodeEvent, encodeFinalizeBlock, encodeTxResultShort } from './abci.ts'
import { encodeBlock, encodeBlockId, encodeHeader } from './block.ts'
import { base64, decimal, listOrNull, omitEmpty } from './primitive.ts'
import { encodeValidator } from './validator.ts'

function encodeValue(data: CometEventData): object {
  switch (data.type) {
    case 'NewBlock':
      return {
        block: encodeBlock(data.block),
        block_id: encodeBlockId(data.blockId),
        result_finalize_block: encodeFinalizeBlock(data.result),
      }
    case 'NewBlockHeader':
      return { header: encodeHeader(data.header) }
    case 'NewBlockEvents':
      return {
        height: decimal(data.height),
        events: listOrNull(data.events.map(encodeEvent)),
        num_txs: decimal(data.txCount),
      }
    case 'Tx':
      return {
        TxResult: {
          ...omitEmpty({
            height: decimal(data.height),
            index: data.index,
            tx: base64(data.tx),
          }),
          result: encodeTxResultShort(data.result),
        },
      }
    default:
      return { validator_updates: data.validators.map(encodeValidator) }
  }
}

/** The members of an event's message that are the same for every subscriber. */
function encodeEventBody({ data, attributes }: CometEvent): {
  readonly data: object
  readonly events: object
} {
  const names = [...attributes.keys()].sort()
  return {
    data: { type: `tendermint/event/${data.type}`, value: encodeValue(data) },
    events: Object.fromEntries(names.map((name) => [name, attributes.get(name)])),
  }
}

const bodies = new WeakMap<CometEvent, string>()

/** JSON text of an event's result for one subscriber. The body, by far the larger part, is written once per event. */
export function eventResultText(query: string, event: CometEvent): string {
  let body = bodies.get(event)
  if (body === undefined) {
    body = JSON.stringify(encodeEventBody(event)).slice(1)
    bodies.set(event, body)
  }
  return `{"query":${JSON.stringify(query)},${body}`
}
