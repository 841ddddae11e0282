/** Every endpoint of the consensus RPC. URI, JSON-RPC and WebSocket, the index page and the documentation derive from it. */
import { abci_info } from './endpoints/abciInfo.ts'
import { abci_query } from './endpoints/abciQuery.ts'
import { block } from './endpoints/block.ts'
import { block_by_hash } from './endpoints/blockByHash.ts'
import { blockchain } from './endpoints/blockchain.ts'
import { block_search } from './endpoints/blockSearch.ts'
import { block_results } from './endpoints/blockResults.ts'
import { broadcast_evidence } from './endpoints/broadcastEvidence.ts'
import { broadcast_tx_async } from './endpoints/broadcastTxAsync.ts'
import { broadcast_tx_commit } from './endpoints/broadcastTxCommit.ts'
import { broadcast_tx_sync } from './endpoints/broadcastTxSync.ts'
import { check_tx } from './endpoints/checkTx.ts'
import { commit } from './endpoints/commit.ts'
import { consensus_params } from './endpoints/consensusParams.ts'
import { consensus_state } from './endpoints/consensusState.ts'
import { dial_peers } from './endpoints/dialPeers.ts'
import { dial_seeds } from './endpoints/dialSeeds.ts'
import { dump_consensus_state } from './endpoints/dumpConsensusState.ts'
import { genesis } from './endpoints/genesis.ts'
import { genesis_chunked } from './endpoints/genesisChunked.ts'
import { header } from './endpoints/header.ts'
import { header_by_hash } from './endpoints/headerByHash.ts'
import { health } from './endpoints/health.ts'
import { net_info } from './endpoints/netInfo.ts'
import { num_unconfirmed_txs } from './endpoints/numUnconfirmedTxs.ts'
import { status } from './endpoints/status.ts'
import { subscribe } from './endpoints/subscribe.ts'
import { tx } from './endpoints/tx.ts'
import { tx_search } from './endpoints/txSearch.ts'
import { unconfirmed_txs } from './endpoints/unconfirmedTxs.ts'
import { unsafe_flush_mempool } from './endpoints/unsafeFlushMempool.ts'
import { unsubscribe } from './endpoints/unsubscribe.ts'
import { unsubscribe_all } from './endpoints/unsubscribeAll.ts'
import { validators } from './endpoints/validators.ts'
import type { CometMethod } from './method.ts'
import type { CometServices } from './world.ts'

export type CometTable = ReadonlyMap<string, CometMethod<CometServices>>

/** Endpoints by name. */
export const cometTable: CometTable = new Map<string, CometMethod<CometServices>>(
  Object.entries({
    health,
    status,
    net_info,
    genesis,
    genesis_chunked,

    block,
    block_by_hash,
    block_results,
    blockchain,
    header,
    header_by_hash,
    commit,
    validators,
    consensus_params,
    consensus_state,
    dump_consensus_state,

    tx,
    tx_search,
    block_search,
    check_tx,
    broadcast_tx_async,
    broadcast_tx_sync,
    broadcast_tx_commit,
    unconfirmed_txs,
    num_unconfirmed_txs,

    abci_info,
    abci_query,

    broadcast_evidence,

    subscribe,
    unsubscribe,
    unsubscribe_all,
  }),
)

/** The same, plus those that only an operator should call: served where `rpc.unsafe` is set. */
export const unsafeCometTable: CometTable = new Map<string, CometMethod<CometServices>>([
  ...cometTable,
  ...Object.entries({ dial_seeds, dial_peers, unsafe_flush_mempool }),
])
