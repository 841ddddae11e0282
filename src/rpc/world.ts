/** The world of a method handler: the node as narrow named parts, of which each handler names the few that it needs. */
import type { Accounts } from '../accounts/accounts.ts'
import type { Wallets } from '../accounts/wallets.ts'
import type { KeyedQueue } from '../base/keyedQueue.ts'
import type { ChainRules } from '../chain/executed.ts'
import type { ChainReader } from '../chain/reader.ts'
import type { CometPeer } from '../consensus/cometbft/rpc.ts'
import type { TransactionPool } from '../consensus/pool.ts'
import type { EventBus } from '../events/bus.ts'
import type { FilterRegistry } from '../events/filters.ts'
import type { Method } from '../wire/method.ts'
import type { CallExecutor } from './calls/executor.ts'
import type { Executions } from './executions/executor.ts'
import type { FeeOracle } from './fees/oracle.ts'
import type { BlockSelector } from './parameters/selector.ts'
import type { PendingBlocks } from './pending/pendingBlocks.ts'

/** The keys that this node holds, as far as the methods need them. */
export type NodeAccounts = Pick<
  Accounts,
  'list' | 'signer' | 'withPassphrase' | 'unlock' | 'lock' | 'create' | 'importKey'
>

/** Settings that the node's operator may change while it runs (D48). */
export type NodeSettings = {
  /** Writes minimum-gas-prices to the configuration file, for the next start. False when that is impossible. */
  setMinimumGasPrice(price: bigint): boolean
  /** Moves the rewards of this validator to an address; true once a block has done so. Rejects with RpcError. */
  setRewardAddress(address: Uint8Array): Promise<boolean>
}

/** Information about the network and this program. */
export type NetworkInfo = {
  /** `Assay/v<version>/<os>-<arch>/node<version>` (D1). */
  readonly clientVersion: string
  /** CometBFT's peers; none with the embedded engine. */
  peers(): readonly CometPeer[]
  /** Namespaces that are served (json-rpc.api). */
  readonly namespaces: readonly string[]
  /** The home folder. */
  readonly dataFolder: string
  /** How other nodes know this one: id (hex digits), name, and the address of its consensus RPC. */
  readonly self: { readonly id: string; readonly name: string; readonly listenAddress: string }
}

/** Progress of a node that is catching up, as heights. */
export type SyncProgress = {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** Limits on the cost of one request. */
export type RpcLimits = {
  /** Maximum number of logs in one response (json-rpc.logs-cap). */
  readonly logs: number
  /** Maximum length of a log query's range of heights; undefined for no limit (D49). */
  readonly logRange: number | undefined
  /** Maximum time of one log query, in milliseconds. */
  readonly logTimeMs: number
  /** Maximum fee of a transaction sent with a key of this node (json-rpc.txfee-cap); 0 for no limit. */
  readonly transactionFee: bigint
  /** Maximum number of subscriptions of one connection. */
  readonly subscriptions: number
}

/** Of how many of the last blocks this node keeps something; absent where it keeps all. */
export type Retention = {
  readonly blocks?: number
  readonly states?: number
  /** Proofs of state (state.proof-window). */
  readonly proofs?: number
}

/** Methods by name, with what is needed to describe them. */
export type DescribedMethods = Readonly<
  Record<string, Pick<Method<never>, 'summary' | 'params' | 'result'>>
>

/** Everything that JSON-RPC methods use. */
export type World = {
  readonly chain: ChainReader
  readonly rules: ChainRules
  readonly pool: TransactionPool
  readonly accounts: NodeAccounts
  readonly wallets: Wallets
  readonly settings: NodeSettings
  readonly calls: CallExecutor
  readonly executions: Executions
  readonly pending: PendingBlocks
  /** Block of estimates that name none: the next one on a chain for development, as Hardhat's. */
  readonly estimatesAt: BlockSelector
  readonly fees: FeeOracle
  readonly network: NetworkInfo
  readonly bus: EventBus
  readonly filters: FilterRegistry
  readonly limits: RpcLimits
  readonly retention: Retention
  /** The table of all methods, for the method that describes them. */
  readonly methods: DescribedMethods
  /** Serializes sends of one account, so that each gets a nonce of its own. */
  readonly sends: KeyedQueue
  /** Address that receives this node's rewards. */
  coinbase(): Uint8Array
  /** undefined when the node has caught up. */
  syncing(): SyncProgress | undefined
}
