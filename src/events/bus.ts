/**
 * The one place where committed blocks are announced. Events are emitted after block, state and sign state are on disk
 * (D53), so listeners can look up everything.
 */
import { EventEmitter } from 'node:events'
import type { FinalizeBlockResponse } from '../consensus/application.ts'
import type { Block, BlockId, Validator } from '../proof/comet/types.ts'

/** A block that is on disk, with what the consensus side knows about it. The chain's view comes from ChainReader. */
export type CommittedBlock = {
  readonly height: number
  readonly block: Block
  readonly blockId: BlockId
  readonly result: FinalizeBlockResponse
  /** Validators whose power or membership changed, with their new priority; empty for most blocks. */
  readonly validatorUpdates: readonly Validator[]
}

/** A block of which only the chain's view is known here: another program serves the consensus RPC. */
export type NewBlock = Pick<CommittedBlock, 'height'>

/** `block` is emitted with every engine; `decided`, right before it, only with the embedded one. */
export type NodeEvents = { block: [NewBlock]; decided: [CommittedBlock] }

export type EventBus = EventEmitter<NodeEvents>

/** A bus without a limit on listeners: one per subscription is normal. */
export function createEventBus(): EventBus {
  const bus: EventBus = new EventEmitter()
  bus.setMaxListeners(0)
  return bus
}

function announce<T>(
  listeners: readonly ((value: T) => void)[],
  value: T,
  onFault: (error: unknown) => void,
): void {
  for (const listener of listeners) {
    try {
      listener(value)
    } catch (error) {
      onFault(error)
    }
  }
}

/**
 * Announces a block to every listener. One that throws affects neither the others nor the chain: `onFault` receives the
 * error.
 */
export function publishBlock(
  bus: EventBus,
  block: CommittedBlock,
  onFault: (error: unknown) => void,
): void {
  announce(bus.listeners('decided'), block, onFault)
  announce(bus.listeners('block'), block, onFault)
}

/** The same for a block that another engine decided. */
export function publishHeight(
  bus: EventBus,
  height: number,
  onFault: (error: unknown) => void,
): void {
  announce(bus.listeners('block'), { height }, onFault)
}
