/**
 * The engine that the configuration names (D20), with its consensus RPC: the rest of the node's interface to consensus.
 */
import type { Log } from '../base/log.ts'
import type { Home } from '../config/home.ts'
import type { NodeConfig } from '../config/node.ts'
import type { CometPeer } from '../consensus/cometbft/rpc.ts'
import type { Development } from '../consensus/development/development.ts'
import type { EvmOptions } from '../consensus/evm/open.ts'
import type { Mempool } from '../consensus/mempool/types.ts'
import type { TransactionPool } from '../consensus/pool.ts'
import type { EventBus } from '../events/bus.ts'
import type { SyncProgress } from '../rpc/world.ts'

export type NodeConsensusOptions = EvmOptions & {
  readonly home: Home
  readonly config: NodeConfig
  readonly bus: EventBus
  readonly log: Log
  /** Whether a lock of the kernel keeps other nodes from this home (D67). */
  readonly isLocked: boolean
  readonly signal: AbortSignal
  /** Puts into the pool what an earlier run acknowledged (D64). */
  readonly restorePool: (pool: Pick<Mempool, 'restore'>) => Promise<void>
  readonly fatal: (error: unknown) => never
}

export type NodeConsensus = {
  readonly pool: TransactionPool
  /** Of the validator behind this node, 20 bytes. */
  readonly consensusAddress: Uint8Array
  /** Of the consensus RPC. */
  readonly cometUrl: string
  peers(): readonly CometPeer[]
  /** undefined when the node has caught up. */
  syncing(): SyncProgress | undefined
  /** Whether the remote signer is connected (D98); undefined where this node's own key signs, or another process asks. */
  isSignerConnected(): boolean | undefined
  /** Controls a development chain (D56). */
  readonly development?: Development | undefined
  close(): Promise<void>
}
