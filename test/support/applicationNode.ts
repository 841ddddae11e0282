/** The EVM application over a store, as an engine sees it: opened and closed as often as a test needs. */
import { utf8 } from '../../src/base/bytes.ts'
import { sha256 } from '../../src/base/sha256.ts'
import type { Slices } from '../../src/base/slices.ts'
import { openAddressIndex } from '../../src/ledger/events/addressIndex.ts'
import { defaultAppState, type NewChain } from '../../src/chain/defaultGenesis.ts'
import { baseFeeAt } from '../../src/chain/fees.ts'
import { parseGenesis, type GenesisState } from '../../src/chain/genesis.ts'
import { genesisHeader } from '../../src/chain/genesisHeader.ts'
import { openChainStore, type ChainStore, type ChainStoreOptions } from '../../src/ledger/store.ts'
import { hardforkAt } from '../../src/chain/upgrades/hardfork.ts'
import type {
  InitChainRequest,
  ProposedBlock,
  ValidatorUpdate,
} from '../../src/consensus/application.ts'
import type { TimeBound } from '../../src/consensus/clock/timeBound.ts'
import { createEvmApplication, type EvmApplication } from '../../src/consensus/evm/application.ts'
import { FIXED_LIMITS } from '../../src/consensus/mempool/limits.ts'
import { createMempool } from '../../src/consensus/mempool/mempool.ts'
import type { Mempool } from '../../src/consensus/mempool/types.ts'
import type { RecoverSender } from '../../src/consensus/mempool/recoverSender.ts'
import {
  createStateSync,
  type StateSync,
  type StateSyncOptions,
} from '../../src/consensus/stateSync/stateSync.ts'
import { createInlineTaker } from '../../src/consensus/stateSync/taker.ts'
import type { TakeOptions } from '../../src/ledger/snapshot/take.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import type { Engine } from '../../src/evm/types.ts'
import type { Kv } from '../../src/store/kv.ts'
import { CONFIGURED_LIMITS } from './poolRig.ts'
import type { Sender } from './workload.ts'

const SECOND = 1_000_000_000n

/** A chain before its first block. */
export type TestGenesis = {
  readonly chainId: string
  readonly state: GenesisState
  readonly hash: Uint8Array
  readonly timeNs: bigint
  readonly initChain: InitChainRequest
}

const VALIDATORS = 4
const POWER = 10n

/** Public keys of this many validators, none of which anybody has to sign with. */
function validatorKeys(count: number): readonly Uint8Array[] {
  return Array.from({ length: count }, (_, index) => new Uint8Array(32).fill(index + 1))
}

const operatorOf = (publicKey: Uint8Array): Uint8Array =>
  publicKey.subarray(0, 20).map((byte) => byte + 0xc0)

/** Who operates each of them, and gets its rewards. */
export const OPERATORS: readonly Uint8Array[] = validatorKeys(VALIDATORS).map(operatorOf)

/** The addresses of this many validators, at most 255. */
export function proposersOf(count: number): readonly Uint8Array[] {
  return validatorKeys(count).map((publicKey) => sha256(publicKey).subarray(0, 20))
}

/** Their addresses as validators. */
export const PROPOSERS: readonly Uint8Array[] = proposersOf(VALIDATORS)

/** A genesis with the usual contracts, in which the senders are rich. */
export function testGenesis(
  senders: readonly Pick<Sender, 'address'>[],
  chain: Pick<NewChain, 'hardfork' | 'upgrades'> & { readonly validators?: number } = {},
): TestGenesis {
  const chainId = 'assay_271828-1'
  const keys = validatorKeys(chain.validators ?? VALIDATORS)
  const { hardfork, upgrades } = chain
  const appState = defaultAppState({
    ...(hardfork !== undefined && { hardfork }),
    ...(upgrades !== undefined && { upgrades }),
    accounts: senders.map(({ address }) => ({ address, balance: 10n ** 24n })),
    validators: keys.map((publicKey) => ({ publicKey, rewardAddress: operatorOf(publicKey) })),
  })
  const text = utf8(JSON.stringify(appState))
  const timeNs = 1_700_000_000n * SECOND
  return {
    chainId,
    state: parseGenesis(chainId, text),
    hash: sha256(text),
    timeNs,
    initChain: {
      time: timeNs,
      chainId,
      consensusParams: {
        block: { maxBytes: 22_020_096n, maxGas: -1n },
        evidence: { maxAgeNumBlocks: 100_000n, maxAgeDurationNs: SECOND, maxBytes: 1_048_576n },
        validator: { publicKeyTypes: ['ed25519'] },
        version: { app: 1n },
        abci: { voteExtensionsEnableHeight: 0n },
      },
      validators: keys.map((publicKey): ValidatorUpdate => ({
        type: 'ed25519',
        publicKey,
        power: POWER,
      })),
      appState: text,
      initialHeight: 1,
    },
  }
}

export type ApplicationNode = {
  readonly kv: Kv
  readonly application: EvmApplication
  readonly store: ChainStore
  readonly pool: Mempool
  /** Finalizes and commits a block, and tells the pool. Returns the application's answer. */
  decide(block: ProposedBlock): ReturnType<EvmApplication['finalizeBlock']>
  readonly stateSync: StateSync | undefined
}

export type ApplicationNodeOptions = {
  readonly genesis: TestGenesis
  readonly kv: Kv
  readonly store?: Omit<ChainStoreOptions, 'chainId' | 'sha256'>
  readonly evm?: Engine
  readonly recoverSender?: RecoverSender
  readonly startSlices?: () => Slices
  readonly isTimely?: TimeBound
  readonly snapshots?: Pick<StateSyncOptions, 'folder' | 'interval'> &
    Partial<StateSyncOptions> & { readonly taking?: TakeOptions }
}

/**
 * Opens the application over what the store holds. Genesis is written if there is none, unless a snapshot will be
 * restored.
 */
export function openApplicationNode(options: ApplicationNodeOptions): ApplicationNode {
  const { genesis, kv, snapshots } = options
  const { rules, alloc } = genesis.state
  const store = openChainStore(kv, { ...options.store, chainId: rules.chainId, sha256 })
  const pool = createMempool(
    {
      chainId: rules.chainId,
      blockGasLimit: rules.blockGasLimit,
      minBaseFee: rules.minBaseFee,
      latest: store.latest,
      nextHardfork: () => hardforkAt(rules, store.latest(), store.reader.latestHeight() + 1),
      nextBaseFee: () => baseFeeAt(store.reader, rules, genesis.timeNs),
    },
    { ...FIXED_LIMITS, ...CONFIGURED_LIMITS },
    () => 0,
    options.recoverSender,
  )
  const addresses = openAddressIndex(kv)
  if (!store.isEmpty()) addresses.catchUp(store.reader)
  const header = genesisHeader(rules, { hash: genesis.hash, timeNs: genesis.timeNs })
  const stateSync =
    snapshots &&
    createStateSync({
      keep: 10,
      onFault: (message) => {
        throw new Error(message)
      },
      taker: createInlineTaker(
        kv,
        { snapshots: snapshots.folder, genesisHash: genesis.hash },
        snapshots.taking,
      ),
      ...snapshots,
      store,
      rules,
      genesis: { header, effects: alloc },
      onRestored: () => addresses.catchUp(store.reader),
    })
  const application = createEvmApplication({
    chainId: genesis.chainId,
    genesis: genesis.state,
    genesisHash: genesis.hash,
    store,
    addresses,
    evm: options.evm ?? createEngine(),
    pool,
    stateSync,
    startSlices: options.startSlices,
    isTimely: options.isTimely,
  })
  return {
    kv,
    application,
    store,
    pool,
    stateSync,
    async decide(block) {
      const response = await application.finalizeBlock(block)
      await kv.commit(() => {
        application.commit()
      })
      pool.update(application.lastUpdate())
      return response
    },
  }
}

/** A block as CometBFT passes it, one second after the previous one. Its hash only identifies the block. */
export function proposedBlock(
  genesis: TestGenesis,
  height: number,
  txs: readonly Uint8Array[],
): ProposedBlock {
  return {
    txs,
    decidedLastCommit: { round: 0, votes: [] },
    misbehavior: [],
    hash: sha256(utf8(`block ${height}`)),
    height,
    time: genesis.timeNs + BigInt(height - 1) * SECOND,
    nextValidatorsHash: new Uint8Array(32),
    proposerAddress: PROPOSERS[height % PROPOSERS.length] as Uint8Array,
  }
}
