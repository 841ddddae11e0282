/** Composition of the consensus side: application, pool and embedded engine over one chain store. */
import { utf8 } from '../base/bytes.ts'
import { systemClock, type Clock } from '../base/clock.ts'
import { sha256 } from '../base/sha256.ts'
import { baseFeeAt } from '../chain/fees.ts'
import { openAddressIndex, type AddressIndex } from '../chain/events/addressIndex.ts'
import { parseGenesis, type GenesisState } from '../chain/genesis.ts'
import { genesisHeader } from '../chain/genesisHeader.ts'
import type { ChainStore } from '../chain/store.ts'
import type { Engine } from '../evm/types.ts'
import type { Kv } from '../store/kv.ts'
import { openEmbeddedEngine, type EmbeddedEngine } from './embedded/engine.ts'
import type { PublishedBlock } from './embedded/produce.ts'
import type { EventIndex } from './eventIndex.ts'
import { createEvmApplication, type EvmApplication } from './evm/application.ts'
import { createEvmEventIndex } from './evm/eventIndex.ts'
import { createEvmEngineMempool } from './evm/engineMempool.ts'
import { createEvmBlockSource } from './evm/source.ts'
import type { ConsensusFiles } from './files/create.ts'
import type { LoadedGenesis } from './files/genesis.ts'
import { loadNodeId, loadValidatorKey } from './files/keys.ts'
import { FIXED_LIMITS, type ConfiguredLimits } from './mempool/limits.ts'
import { createMempool, type Mempool, type RecoverSender } from './mempool/mempool.ts'
import { createStateSync, type StateSync } from './stateSync/stateSync.ts'
import { startTaker } from './stateSync/taker.ts'

/** Where and how often snapshots of the state are taken. */
export type SnapshotOptions = {
  /** Folder of the snapshots. */
  readonly folder: string
  /** Folder of the chain's store. */
  readonly store: string
  /** Heights between two; 0 takes none. */
  readonly interval: number
  readonly keep: number
  readonly onTaken: (
    height: number,
    size: { readonly chunks: number; readonly bytes: number },
  ) => void
  readonly onFault: (message: string) => void
}

export type ConsensusOptions = {
  readonly files: ConsensusFiles
  readonly genesis: LoadedGenesis
  readonly kv: Kv
  /** Opened over `kv`, with the chain's EIP-155 id. */
  readonly store: ChainStore
  readonly evm: Engine
  readonly limits: ConfiguredLimits
  /** Without it there are no snapshots. */
  readonly snapshots?: SnapshotOptions
  /** Milliseconds (D23); `manual` is for tests. */
  readonly production: 'manual' | { readonly gatherWindow: number; readonly blockInterval: number }
  /** What status shows of this node. */
  readonly node: {
    readonly moniker: string
    readonly listenAddress: string
    readonly rpcAddress: string
  }
  /** Announces a block that is on disk. Must not throw. */
  readonly publish: (block: PublishedBlock) => void
  /** Recovers senders elsewhere; by default on this thread. */
  readonly recoverSender?: RecoverSender
  /** Ends the process after a failed write (D54). */
  readonly fatal: (error: unknown) => void
  readonly clock?: Clock
}

export type Consensus = {
  readonly application: EvmApplication
  readonly pool: Mempool
  readonly engine: EmbeddedEngine
  /** What searches for events read. */
  readonly index: EventIndex
  /** Undefined where no snapshots were asked for. */
  readonly stateSync: StateSync | undefined
  /** Empties the pool, with what it remembers to have seen. */
  flushPool(): void
}

/** State sync of a chain: it takes snapshots on a thread of its own. */
export function openStateSync(
  store: ChainStore,
  { rules, alloc }: GenesisState,
  { genesis, text }: LoadedGenesis,
  addresses: Pick<AddressIndex, 'catchUp'>,
  snapshots: SnapshotOptions,
): StateSync {
  const hash = sha256(utf8(text))
  const taker =
    snapshots.interval === 0
      ? undefined
      : startTaker({ store: snapshots.store, snapshots: snapshots.folder, genesisHash: hash })
  return createStateSync({
    ...snapshots,
    store,
    rules,
    genesis: { header: genesisHeader(rules, { hash, timeNs: genesis.timeNs }), effects: alloc },
    taker,
    onRestored: () => addresses.catchUp(store.reader),
  })
}

/** Opens everything and starts making blocks. Throws UserError when the home's files are wrong or do not fit together. */
export function openConsensus(options: ConsensusOptions): Consensus {
  const { files, store, evm, clock = systemClock } = options
  const { genesis, text } = options.genesis
  const genesisState = parseGenesis(genesis.chainId, genesis.appState)
  const { rules, chainName } = genesisState
  // Of two limits on the price, the stricter counts: nothing below the chain's own could ever be included.
  const { minGasPrice: wanted } = options.limits
  const minGasPrice = wanted > rules.minBaseFee ? wanted : rules.minBaseFee

  const expectedBaseFee = () => baseFeeAt(store.reader, rules, clock.now())
  const pool = createMempool(
    {
      chainId: rules.chainId,
      blockGasLimit: rules.blockGasLimit,
      latest: store.latest,
      nextBaseFee: expectedBaseFee,
    },
    { ...FIXED_LIMITS, ...options.limits, minGasPrice },
    () => clock.monotonic(),
    options.recoverSender,
  )
  const addresses = openAddressIndex(options.kv)
  if (!store.isEmpty()) addresses.catchUp(store.reader)
  const stateSync =
    options.snapshots &&
    openStateSync(store, genesisState, options.genesis, addresses, options.snapshots)
  const application = createEvmApplication({
    chainId: genesis.chainId,
    genesis: genesisState,
    genesisHash: sha256(utf8(text)),
    store,
    addresses,
    evm,
    pool,
    stateSync,
  })
  const mempool = createEvmEngineMempool(application, pool, expectedBaseFee)
  const engine = openEmbeddedEngine({
    ...options,
    application,
    genesisText: text,
    clock,
    source: createEvmBlockSource(chainName, store.reader),
    mempool,
    key: loadValidatorKey(files.validatorKey),
    signStateFile: files.validatorState,
    node: { ...options.node, id: loadNodeId(files.nodeKey) },
  })
  const index = createEvmEventIndex(chainName, store.reader, addresses)
  return { application, pool, engine, index, stateSync, flushPool: mempool.flush }
}
