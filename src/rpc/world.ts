/** The node as method handlers see it: narrow named parts, of which each handler names the few that it needs. */
import type { Accounts } from '../accounts/accounts.ts'
import type { Wallets } from '../accounts/wallets.ts'
import type { KeyedQueue } from '../base/keyedQueue.ts'
import type { ChainRules } from '../chain/executed.ts'
import type { ChainReader } from '../chain/reader.ts'
import type { CometPeer } from '../consensus/cometbft/rpc.ts'
import type { TransactionPool } from '../consensus/pool.ts'
import type { EventBus } from '../events/bus.ts'
import type { FilterRegistry } from '../events/filters.ts'
import type { CallExecutor } from './calls/executor.ts'
import type { Executions } from './executions/executor.ts'
import type { FeeOracle } from './fees/oracle.ts'

/** The keys that this node holds, as the methods need them. */
export type NodeAccounts = Pick<
  Accounts,
  'list' | 'signer' | 'withPassphrase' | 'unlock' | 'lock' | 'create' | 'importKey'
>

/** What the operator of this node may change while it runs (D48). */
export type NodeSettings = {
  /** Writes minimum-gas-prices into the configuration file, for the next start. False when that can't be done. */
  setMinimumGasPrice(price: bigint): boolean
  /** Moves the rewards of this validator to an address; true once a block has done so. Rejects with RpcError. */
  setRewardAddress(address: Uint8Array): Promise<boolean>
}

/** What is known about the network and this program. */
export type NetworkInfo = {
  /** `Assay/v<version>/<os>-<arch>/node<version>` (D1). */
  readonly clientVersion: string
  /** Of CometBFT; none with the embedded engine. */
  peers(): readonly CometPeer[]
  /** Namespaces that are served (json-rpc.api). */
  readonly namespaces: readonly string[]
  /** The home folder. */
  readonly dataFolder: string
  /** What other nodes know this one by: id (hex digits), name, and where its consensus RPC listens. */
  readonly self: { readonly id: string; readonly name: string; readonly listenAddress: string }
}

/** Progress of a node that is catching up, as heights. */
export type SyncProgress = {
  readonly startingBlock: number
  readonly currentBlock: number
  readonly highestBlock: number
}

/** Caps on what one request may cost. */
export type RpcLimits = {
  /** Most logs in one answer (json-rpc.logs-cap). */
  readonly logs: number
  /** Longest range of heights of one log query; undefined is no cap (D49). */
  readonly logRange: number | undefined
  /** Longest time for one log query, in milliseconds. */
  readonly logTimeMs: number
  /** Most a transaction sent with a key of this node may pay in fees (json-rpc.txfee-cap); 0 is no cap. */
  readonly transactionFee: bigint
  /** Most subscriptions of one connection. */
  readonly subscriptions: number
}

/** Everything that JSON-RPC methods use. */
export type Node = {
  readonly chain: ChainReader
  readonly rules: ChainRules
  readonly pool: TransactionPool
  readonly accounts: NodeAccounts
  readonly wallets: Wallets
  readonly settings: NodeSettings
  readonly calls: CallExecutor
  readonly executions: Executions
  readonly fees: FeeOracle
  readonly network: NetworkInfo
  readonly bus: EventBus
  readonly filters: FilterRegistry
  readonly limits: RpcLimits
  /** Orders sends of one account, so that each gets a nonce of its own. */
  readonly sends: KeyedQueue
  /** Address that receives this node's rewards. */
  coinbase(): Uint8Array
  /** undefined when the node has caught up. */
  syncing(): SyncProgress | undefined
}
