/** What the consensus RPC needs from the node. */
import type { Application } from '../consensus/application.ts'
import type { ConsensusEngine, ConsensusReader } from '../consensus/engine.ts'
import type { EventIndex } from '../consensus/eventIndex.ts'
import type { TransactionPool } from '../consensus/pool.ts'
import type { EventBus } from '../events/bus.ts'
import type { CometSubscriptions } from '../events/cometSubscriptions.ts'

/** Provided by the node. */
export type CometWorld = {
  readonly reader: ConsensusReader
  readonly engine: Pick<ConsensusEngine, 'broadcast'>
  readonly application: Pick<Application, 'info' | 'query' | 'checkTx'>
  readonly pool: Pick<TransactionPool, 'pending' | 'queued'>
  readonly bus: EventBus
  readonly index: EventIndex
  /** Empties the pool. */
  flushPool(): Promise<void>
}

/** What handlers receive: the node, and what the server itself keeps. */
export type CometServices = CometWorld & {
  readonly subscriptions: CometSubscriptions
  /** How long `broadcast_tx_commit` waits for a block. */
  readonly commitTimeoutMs: number
}
