/** What the consensus engine tells its subscribers about a committed block. */
import { toUpperHexDigits } from '../base/hex.ts'
import { sha256 } from '../base/sha256.ts'
import type {
  ApplicationEvent,
  ExecTxResult,
  FinalizeBlockResponse,
} from '../consensus/application.ts'
import type { Block, BlockId, Header, Validator } from '../proof/comet/types.ts'
import type { CommittedBlock } from './bus.ts'
import type { EventAttributes } from './query/match.ts'

/** The content of an event; `type` is the value of its attribute `tm.event`. */
export type CometEventData =
  | {
      readonly type: 'NewBlock'
      readonly block: Block
      readonly blockId: BlockId
      readonly result: FinalizeBlockResponse
    }
  | { readonly type: 'NewBlockHeader'; readonly header: Header }
  | {
      readonly type: 'NewBlockEvents'
      readonly height: number
      readonly events: readonly ApplicationEvent[]
      readonly txCount: number
    }
  | {
      readonly type: 'Tx'
      readonly height: number
      readonly index: number
      readonly tx: Uint8Array
      readonly result: ExecTxResult
    }
  | { readonly type: 'ValidatorSetUpdates'; readonly validators: readonly Validator[] }

/** An event with the attributes that queries see. */
export type CometEvent = { readonly data: CometEventData; readonly attributes: EventAttributes }

/** Consensus hash of a transaction: SHA-256 of its bytes (D21), upper-case hex as CometBFT writes it. */
export function consensusHashText(tx: Uint8Array): string {
  return toUpperHexDigits(sha256(tx))
}

/**
 * Attribute values by composite name. Subscriptions see every attribute, indexed or not; those without a type or key
 * cannot be named in a query.
 */
function attributesOf(
  type: CometEventData['type'],
  events: readonly ApplicationEvent[],
  more: Readonly<Record<string, string>> = {},
): EventAttributes {
  const attributes = new Map<string, string[]>()
  const add = (name: string, value: string): void => {
    const values = attributes.get(name)
    if (values === undefined) attributes.set(name, [value])
    else values.push(value)
  }
  for (const event of events) {
    if (event.type === '') continue
    for (const { key, value } of event.attributes) {
      if (key !== '') add(`${event.type}.${key}`, value)
    }
  }
  add('tm.event', type)
  for (const [name, value] of Object.entries(more)) add(name, value)
  return attributes
}

/** The events of a block in CometBFT's order: the block, its header, its own events, its transactions, its validators. */
export function cometEvents(committed: CommittedBlock): readonly CometEvent[] {
  const { height, block, blockId, result, validatorUpdates } = committed
  const events: CometEvent[] = [
    {
      data: { type: 'NewBlock', block, blockId, result },
      attributes: attributesOf('NewBlock', result.events),
    },
    {
      data: { type: 'NewBlockHeader', header: block.header },
      attributes: attributesOf('NewBlockHeader', []),
    },
    {
      data: { type: 'NewBlockEvents', height, events: result.events, txCount: block.txs.length },
      attributes: attributesOf('NewBlockEvents', result.events),
    },
  ]
  for (const [index, tx] of block.txs.entries()) {
    const txResult = result.txResults[index]
    if (txResult === undefined) continue
    events.push({
      data: { type: 'Tx', height, index, tx, result: txResult },
      attributes: attributesOf('Tx', txResult.events, {
        'tx.hash': consensusHashText(tx),
        'tx.height': String(height),
      }),
    })
  }
  if (validatorUpdates.length > 0) {
    events.push({
      data: { type: 'ValidatorSetUpdates', validators: validatorUpdates },
      attributes: attributesOf('ValidatorSetUpdates', []),
    })
  }
  return events
}
