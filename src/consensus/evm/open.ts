/** The EVM's side of consensus, the same under every engine: application, pool, and the index of events. */
import { utf8 } from '../../base/bytes.ts'
import type { Clock } from '../../base/clock.ts'
import { sha256 } from '../../base/sha256.ts'
import { decodeUnsigned } from '../../chain/development/unsigned.ts'
import { openAddressIndex, type AddressIndex } from '../../ledger/events/addressIndex.ts'
import { baseFeeAt } from '../../chain/fees.ts'
import { parseGenesis, type GenesisState } from '../../chain/genesis.ts'
import { genesisHeader } from '../../chain/genesisHeader.ts'
import type { ChainStore } from '../../ledger/store.ts'
import { hardforkAt } from '../../chain/upgrades/hardfork.ts'
import type { Engine } from '../../evm/types.ts'
import type { Kv } from '../../store/kv.ts'
import type { CommitInfo } from '../application.ts'
import type { TimeBound } from '../clock/timeBound.ts'
import type { EventIndex } from '../eventIndex.ts'
import type { LoadedGenesis } from '../files/genesis.ts'
import type { PoolJournal } from '../mempool/journal/types.ts'
import { FIXED_LIMITS, type ConfiguredLimits } from '../mempool/limits.ts'
import { createMempool } from '../mempool/mempool.ts'
import type { Mempool } from '../mempool/types.ts'
import type { RecoverSender } from '../mempool/recoverSender.ts'
import { createStateSync, type StateSync } from '../stateSync/stateSync.ts'
import { startTaker } from '../stateSync/taker.ts'
import { createEvmApplication, type EvmApplication } from './application.ts'
import { createEvmEventIndex } from './eventIndex.ts'

/** Where and how often snapshots of the state are taken. */
export type SnapshotOptions = {
  /** Folder of the snapshots. */
  readonly folder: string
  /** Folder of the chain's store. */
  readonly store: string
  /** Number of heights between snapshots; 0 takes none. */
  readonly interval: number
  readonly keep: number
  readonly onTaken: (
    height: number,
    size: { readonly chunks: number; readonly bytes: number },
  ) => void
  readonly onFault: (message: string) => void
}

export type EvmOptions = {
  readonly genesis: LoadedGenesis
  readonly kv: Kv
  /** Opened over `kv`, with the chain's EIP-155 id. */
  readonly store: ChainStore
  readonly evm: Engine
  readonly limits: ConfiguredLimits
  /** Keeps what clients send over a restart (D64). Without it nothing is kept. */
  readonly journal?: PoolJournal
  /** Without it there are no snapshots. */
  readonly snapshots?: SnapshotOptions
  /** Recovers senders on other threads; on this thread by default. */
  readonly recoverSender?: RecoverSender
  /** Whether this is a development node: its chain can be edited and rolled back (D56). */
  readonly isDevelopment?: boolean
  /** Which times of blocks that others propose are acceptable; all of them by default. */
  readonly isTimely?: TimeBound
  /** Called with each block that is decided: its height, and the commit of the block before. Must not throw. */
  readonly onDecided?: (height: number, lastCommit: CommitInfo) => void
}

export type Evm = {
  readonly application: EvmApplication
  readonly pool: Mempool
  /** The index that event searches read. */
  readonly index: EventIndex
  /** The owner must close its thread. */
  readonly stateSync: StateSync | undefined
  readonly chainName: string
  /** Base fee that the next block would have now. */
  expectedBaseFee(): bigint
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

/** Opens application and pool. Throws UserError when genesis.json is not the one that the store was created from. */
export function openEvm(options: EvmOptions, clock: Clock): Evm {
  const { store, evm, isDevelopment = false } = options
  const { genesis, text } = options.genesis
  const genesisState = parseGenesis(genesis.chainId, genesis.appState)
  const { rules, chainName } = genesisState
  // The higher of two minimum prices applies: nothing below the chain's own could ever be included.
  const { minGasPrice: wanted } = options.limits
  const minGasPrice = wanted > rules.minBaseFee ? wanted : rules.minBaseFee

  const expectedBaseFee = () => baseFeeAt(store.reader, rules, clock.now())
  const pool = createMempool(
    {
      chainId: rules.chainId,
      blockGasLimit: rules.blockGasLimit,
      minBaseFee: rules.minBaseFee,
      latest: store.latest,
      nextHardfork: () => hardforkAt(rules, store.latest(), store.reader.latestHeight() + 1),
      nextBaseFee: expectedBaseFee,
      ...(isDevelopment && { decodeUnsigned: (raw) => decodeUnsigned(raw, rules.chainId) }),
    },
    { ...FIXED_LIMITS, ...options.limits, minGasPrice },
    () => clock.monotonic(),
    options.recoverSender,
    options.journal,
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
    isDevelopment,
    isTimely: options.isTimely,
    onDecided: options.onDecided,
  })
  const index = createEvmEventIndex(chainName, store.reader, addresses)
  return { application, pool, index, stateSync, chainName, expectedBaseFee }
}
