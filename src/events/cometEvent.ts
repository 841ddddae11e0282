/** One event of the consensus engine, as its subscribers receive it. */
import type {
  ApplicationEvent,
  ExecTxResult,
  FinalizeBlockResponse,
} from '../consensus/application.ts'
import type { Block, BlockId, CommitSignature, Header, Validator } from '../proof/comet/types.ts'
import type { EventAttributes } from './query/match.ts'

/** A step of a round, by CometBFT's names. */
export type RoundStep =
  | 'RoundStepNewHeight'
  | 'RoundStepNewRound'
  | 'RoundStepPropose'
  | 'RoundStepPrevote'
  | 'RoundStepPrecommit'
  | 'RoundStepCommit'

/** The content of an event. The round is always 0: a single validator needs no second one. */
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
  | { readonly type: 'NewRound'; readonly height: number; readonly proposer: Uint8Array }
  | { readonly type: 'RoundState'; readonly height: number; readonly step: RoundStep }
  | { readonly type: 'CompleteProposal'; readonly height: number; readonly blockId: BlockId }
  | {
      readonly type: 'Vote'
      readonly height: number
      readonly blockId: BlockId
      readonly signature: CommitSignature
    }

export type CometEvent = {
  /** Value of the attribute `tm.event`. */
  readonly name: string
  readonly data: CometEventData
  /** What queries see. Collected on first access: for most events only the name is read. */
  readonly attributes: EventAttributes
}

/**
 * Attribute values by composite name. Subscriptions see every attribute, indexed or not; those without a type or key
 * cannot be named in a query.
 */
function collectAttributes(
  name: string,
  events: readonly ApplicationEvent[],
  more: Readonly<Record<string, string>>,
): EventAttributes {
  const attributes = new Map<string, string[]>()
  const add = (tag: string, value: string): void => {
    const values = attributes.get(tag)
    if (values === undefined) attributes.set(tag, [value])
    else values.push(value)
  }
  for (const event of events) {
    if (event.type === '') continue
    for (const { key, value } of event.attributes) {
      if (key !== '') add(`${event.type}.${key}`, value)
    }
  }
  add('tm.event', name)
  for (const [tag, value] of Object.entries(more)) add(tag, value)
  return attributes
}

/** Creates an event. `source` provides the application's events and what queries see in addition to them. */
export function createCometEvent(
  name: string,
  data: CometEventData,
  source: () => {
    readonly events: readonly ApplicationEvent[]
    readonly more?: Readonly<Record<string, string>>
  } = () => ({ events: [] }),
): CometEvent {
  let attributes: EventAttributes | undefined
  return {
    name,
    data,
    get attributes() {
      if (attributes === undefined) {
        const { events, more = {} } = source()
        attributes = collectAttributes(name, events, more)
      }
      return attributes
    },
  }
}
