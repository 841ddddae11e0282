/** Events as subscribers receive them (interface.md, "Events"). */
import { toUpperHexDigits } from '../../base/hex.ts'
import type { CometEvent, CometEventData } from '../../events/cometEvent.ts'
import { formatTime } from '../../proof/comet/time.ts'
import { PRECOMMIT } from '../../proof/comet/vote.ts'
import { encodeEvent, encodeFinalizeBlock, encodeTxResultShort } from './abci.ts'
import { encodeBlock, encodeBlockId, encodeHeader } from './block.ts'
import { base64, decimal, listOrNull, omitEmpty } from './primitive.ts'
import { encodeValidator } from './validator.ts'

function encodeVote({
  height,
  blockId,
  signature,
}: Extract<CometEventData, { readonly type: 'Vote' }>): object {
  return {
    type: PRECOMMIT,
    height: decimal(height),
    round: 0,
    block_id: encodeBlockId(blockId),
    timestamp: formatTime(signature.timeNs),
    validator_address: toUpperHexDigits(signature.validatorAddress),
    validator_index: 0,
    signature: base64(signature.signature),
    extension: null,
    extension_signature: null,
  }
}

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
    case 'ValidatorSetUpdates':
      return { validator_updates: data.validators.map(encodeValidator) }
    case 'RoundState':
      return { height: decimal(data.height), round: 0, step: data.step }
    case 'NewRound':
      return {
        height: decimal(data.height),
        round: 0,
        step: 'RoundStepNewRound',
        proposer: { address: toUpperHexDigits(data.proposer), index: 0 },
      }
    case 'CompleteProposal':
      return {
        height: decimal(data.height),
        round: 0,
        step: 'RoundStepPropose',
        block_id: encodeBlockId(data.blockId),
      }
    default:
      return { Vote: encodeVote(data) }
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
