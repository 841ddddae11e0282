/** Composition of the consensus side: the EVM's application and pool under the embedded engine, over one chain store. */
import { systemClock, type Clock } from '../base/clock.ts'
import { openEmbeddedEngine, type EmbeddedEngine } from './embedded/engine.ts'
import type { PublishedBlock } from './embedded/produce.ts'
import { localSigner, type BlockSigner } from './embedded/sign.ts'
import type { EventIndex } from './eventIndex.ts'
import type { EvmApplication } from './evm/application.ts'
import { createEvmEngineMempool } from './evm/engineMempool.ts'
import { openEvm, type EvmOptions } from './evm/open.ts'
import { createEvmBlockSource } from './evm/source.ts'
import type { ConsensusFiles } from './files/create.ts'
import { loadNodeId, loadValidatorKey } from './files/keys.ts'
import type { Mempool } from './mempool/types.ts'
import type { StateSync } from './stateSync/stateSync.ts'

export type ConsensusOptions = EvmOptions & {
  readonly files: ConsensusFiles
  /** Milliseconds (D23); `manual` is for tests. */
  readonly production: 'manual' | { readonly gatherWindow: number; readonly blockInterval: number }
  /** What status reports about this node. */
  readonly node: {
    readonly moniker: string
    readonly listenAddress: string
    readonly rpcAddress: string
  }
  /** Called with a block that is on disk. Must not throw. */
  readonly publish: (block: PublishedBlock) => void
  /** Ends the process after a failed write (D54). */
  readonly fatal: (error: unknown) => void
  readonly clock?: Clock
  /** Signs in place of the key of the home (D98). */
  readonly remoteSigner?: BlockSigner | undefined
}

export type Consensus = {
  readonly application: EvmApplication
  readonly pool: Mempool
  readonly engine: EmbeddedEngine
  /** The index that event searches read. */
  readonly index: EventIndex
  /** Undefined when snapshots are disabled. */
  readonly stateSync: StateSync | undefined
  /** Empties the pool and its cache of seen transactions. Resolves when a restart would not bring them back. */
  flushPool(): Promise<void>
}

/** Opens everything and starts making blocks. Throws UserError when the home's files are invalid or inconsistent. */
export function openConsensus(options: ConsensusOptions): Consensus {
  const { files, store, clock = systemClock } = options
  const { application, pool, index, stateSync, chainName, expectedBaseFee } = openEvm(
    options,
    clock,
  )
  const mempool = createEvmEngineMempool(application, pool, expectedBaseFee)
  const engine = openEmbeddedEngine({
    ...options,
    application,
    genesisText: options.genesis.text,
    clock,
    isReversible: options.isDevelopment ?? false,
    source: createEvmBlockSource(chainName, store.reader),
    mempool,
    signer:
      options.remoteSigner ??
      localSigner(loadValidatorKey(files.validatorKey), options.genesis.genesis.chainId),
    signStateFile: files.validatorState,
    node: { ...options.node, id: loadNodeId(files.nodeKey) },
  })
  return { application, pool, engine, index, stateSync, flushPool: mempool.flush }
}
