/** Every JSON-RPC method. A name that is not here does not exist (-32601). */
import type { Method } from '../wire/method.ts'
import { admin_datadir } from './methods/admin/datadir.ts'
import { admin_nodeInfo } from './methods/admin/nodeInfo.ts'
import { admin_peers } from './methods/admin/peers.ts'
import { debug_accountRange } from './methods/debug/accountRange.ts'
import { debug_dumpBlock } from './methods/debug/dumpBlock.ts'
import { debug_getBadBlocks } from './methods/debug/getBadBlocks.ts'
import { debug_getModifiedAccountsByHash } from './methods/debug/getModifiedAccountsByHash.ts'
import { debug_getModifiedAccountsByNumber } from './methods/debug/getModifiedAccountsByNumber.ts'
import { debug_getRawBlock } from './methods/debug/getRawBlock.ts'
import { debug_getRawHeader } from './methods/debug/getRawHeader.ts'
import { debug_getRawReceipts } from './methods/debug/getRawReceipts.ts'
import { debug_getRawTransaction } from './methods/debug/getRawTransaction.ts'
import { debug_intermediateRoots } from './methods/debug/intermediateRoots.ts'
import { debug_storageRangeAt } from './methods/debug/storageRangeAt.ts'
import { debug_traceBadBlock } from './methods/debug/traceBadBlock.ts'
import { debug_traceBlock } from './methods/debug/traceBlock.ts'
import { debug_traceBlockByHash } from './methods/debug/traceBlockByHash.ts'
import { debug_traceBlockByNumber } from './methods/debug/traceBlockByNumber.ts'
import { debug_traceCall } from './methods/debug/traceCall.ts'
import { debug_traceTransaction } from './methods/debug/traceTransaction.ts'
import { eth_accounts } from './methods/eth/accounts.ts'
import { eth_baseFee } from './methods/eth/baseFee.ts'
import { eth_blobBaseFee } from './methods/eth/blobBaseFee.ts'
import { eth_blockNumber } from './methods/eth/blockNumber.ts'
import { eth_call } from './methods/eth/call.ts'
import { eth_callMany } from './methods/eth/callMany.ts'
import { eth_capabilities } from './methods/eth/capabilities.ts'
import { eth_chainId } from './methods/eth/chainId.ts'
import { eth_coinbase } from './methods/eth/coinbase.ts'
import { eth_config } from './methods/eth/config.ts'
import { eth_createAccessList } from './methods/eth/createAccessList.ts'
import { eth_estimateGas } from './methods/eth/estimateGas.ts'
import { eth_feeHistory } from './methods/eth/feeHistory.ts'
import { eth_fillTransaction } from './methods/eth/fillTransaction.ts'
import { eth_gasPrice } from './methods/eth/gasPrice.ts'
import { eth_getBalance } from './methods/eth/getBalance.ts'
import { eth_getBlockByHash } from './methods/eth/getBlockByHash.ts'
import { eth_getBlockByNumber } from './methods/eth/getBlockByNumber.ts'
import { eth_getBlockReceipts } from './methods/eth/getBlockReceipts.ts'
import { eth_getBlockTransactionCountByHash } from './methods/eth/getBlockTransactionCountByHash.ts'
import { eth_getBlockTransactionCountByNumber } from './methods/eth/getBlockTransactionCountByNumber.ts'
import { eth_getCode } from './methods/eth/getCode.ts'
import { eth_getFilterChanges } from './methods/eth/getFilterChanges.ts'
import { eth_getFilterLogs } from './methods/eth/getFilterLogs.ts'
import { eth_getHeaderByHash } from './methods/eth/getHeaderByHash.ts'
import { eth_getHeaderByNumber } from './methods/eth/getHeaderByNumber.ts'
import { eth_getLogs } from './methods/eth/getLogs.ts'
import { eth_getProof } from './methods/eth/getProof.ts'
import { eth_getRawTransactionByBlockHashAndIndex } from './methods/eth/getRawTransactionByBlockHashAndIndex.ts'
import { eth_getRawTransactionByBlockNumberAndIndex } from './methods/eth/getRawTransactionByBlockNumberAndIndex.ts'
import { eth_getRawTransactionByHash } from './methods/eth/getRawTransactionByHash.ts'
import { eth_getStorageAt } from './methods/eth/getStorageAt.ts'
import { eth_getStorageValues } from './methods/eth/getStorageValues.ts'
import { eth_getTransactionByBlockHashAndIndex } from './methods/eth/getTransactionByBlockHashAndIndex.ts'
import { eth_getTransactionByBlockNumberAndIndex } from './methods/eth/getTransactionByBlockNumberAndIndex.ts'
import { eth_getTransactionByHash } from './methods/eth/getTransactionByHash.ts'
import { eth_getTransactionCount } from './methods/eth/getTransactionCount.ts'
import { eth_getTransactionLogs } from './methods/eth/getTransactionLogs.ts'
import { eth_getTransactionReceipt } from './methods/eth/getTransactionReceipt.ts'
import { eth_getUncleByBlockHashAndIndex } from './methods/eth/getUncleByBlockHashAndIndex.ts'
import { eth_getUncleByBlockNumberAndIndex } from './methods/eth/getUncleByBlockNumberAndIndex.ts'
import { eth_getUncleCountByBlockHash } from './methods/eth/getUncleCountByBlockHash.ts'
import { eth_getUncleCountByBlockNumber } from './methods/eth/getUncleCountByBlockNumber.ts'
import { eth_hashrate } from './methods/eth/hashrate.ts'
import { eth_maxPriorityFeePerGas } from './methods/eth/maxPriorityFeePerGas.ts'
import { eth_mining } from './methods/eth/mining.ts'
import { eth_newBlockFilter } from './methods/eth/newBlockFilter.ts'
import { eth_newFilter } from './methods/eth/newFilter.ts'
import { eth_newPendingTransactionFilter } from './methods/eth/newPendingTransactionFilter.ts'
import { eth_pendingTransactions } from './methods/eth/pendingTransactions.ts'
import { eth_protocolVersion } from './methods/eth/protocolVersion.ts'
import { eth_resend } from './methods/eth/resend.ts'
import { eth_sendRawTransaction } from './methods/eth/sendRawTransaction.ts'
import { eth_sendRawTransactionSync } from './methods/eth/sendRawTransactionSync.ts'
import { eth_sendTransaction } from './methods/eth/sendTransaction.ts'
import { eth_sign } from './methods/eth/sign.ts'
import { eth_signTransaction } from './methods/eth/signTransaction.ts'
import { eth_signTypedData } from './methods/eth/signTypedData.ts'
import { eth_signTypedData_v4 } from './methods/eth/signTypedData_v4.ts'
import { eth_simulateV1 } from './methods/eth/simulateV1.ts'
import { eth_subscribe } from './methods/eth/subscribe.ts'
import { eth_syncing } from './methods/eth/syncing.ts'
import { eth_uninstallFilter } from './methods/eth/uninstallFilter.ts'
import { eth_unsubscribe } from './methods/eth/unsubscribe.ts'
import { miner_getHashrate } from './methods/miner/getHashrate.ts'
import { miner_setEtherbase } from './methods/miner/setEtherbase.ts'
import { miner_setExtra } from './methods/miner/setExtra.ts'
import { miner_setGasLimit } from './methods/miner/setGasLimit.ts'
import { miner_setGasPrice } from './methods/miner/setGasPrice.ts'
import { miner_start } from './methods/miner/start.ts'
import { miner_stop } from './methods/miner/stop.ts'
import { net_listening } from './methods/net/listening.ts'
import { net_peerCount } from './methods/net/peerCount.ts'
import { net_version } from './methods/net/version.ts'
import type { World } from './world.ts'
import { personal_ecRecover } from './methods/personal/ecRecover.ts'
import { personal_importRawKey } from './methods/personal/importRawKey.ts'
import { personal_initializeWallet } from './methods/personal/initializeWallet.ts'
import { personal_listAccounts } from './methods/personal/listAccounts.ts'
import { personal_lockAccount } from './methods/personal/lockAccount.ts'
import { personal_newAccount } from './methods/personal/newAccount.ts'
import { personal_openWallet } from './methods/personal/openWallet.ts'
import { personal_sendTransaction } from './methods/personal/sendTransaction.ts'
import { personal_sign } from './methods/personal/sign.ts'
import { personal_signTransaction } from './methods/personal/signTransaction.ts'
import { personal_unlockAccount } from './methods/personal/unlockAccount.ts'
import { personal_unpair } from './methods/personal/unpair.ts'
import { rpc_discover } from './methods/rpc/discover.ts'
import { rpc_modules } from './methods/rpc/modules.ts'
import { trace_block } from './methods/trace/block.ts'
import { trace_call } from './methods/trace/call.ts'
import { trace_callMany } from './methods/trace/callMany.ts'
import { trace_filter } from './methods/trace/filter.ts'
import { trace_get } from './methods/trace/get.ts'
import { trace_rawTransaction } from './methods/trace/rawTransaction.ts'
import { trace_replayBlockTransactions } from './methods/trace/replayBlockTransactions.ts'
import { trace_replayTransaction } from './methods/trace/replayTransaction.ts'
import { trace_transaction } from './methods/trace/transaction.ts'
import { txpool_content } from './methods/txpool/content.ts'
import { txpool_contentFrom } from './methods/txpool/contentFrom.ts'
import { txpool_inspect } from './methods/txpool/inspect.ts'
import { txpool_status } from './methods/txpool/status.ts'
import { web3_clientVersion } from './methods/web3/clientVersion.ts'
import { web3_sha3 } from './methods/web3/sha3.ts'

/** Methods by name. */
export const METHODS: Readonly<Record<string, Method<World>>> = {
  web3_clientVersion,
  web3_sha3,
  net_version,
  net_peerCount,
  net_listening,
  eth_protocolVersion,
  eth_chainId,
  eth_config,
  eth_capabilities,
  eth_syncing,
  eth_blockNumber,
  eth_gasPrice,
  eth_maxPriorityFeePerGas,
  eth_feeHistory,
  eth_accounts,
  eth_coinbase,
  eth_mining,
  eth_hashrate,
  eth_getBalance,
  eth_getCode,
  eth_getStorageAt,
  eth_getTransactionCount,
  eth_getProof,
  eth_call,
  eth_estimateGas,
  eth_getBlockByNumber,
  eth_getBlockByHash,
  eth_getBlockReceipts,
  eth_getBlockTransactionCountByNumber,
  eth_getBlockTransactionCountByHash,
  eth_getUncleCountByBlockNumber,
  eth_getUncleCountByBlockHash,
  eth_getTransactionByHash,
  eth_getTransactionByBlockHashAndIndex,
  eth_getTransactionByBlockNumberAndIndex,
  eth_getTransactionReceipt,
  eth_getLogs,
  eth_newFilter,
  eth_newBlockFilter,
  eth_newPendingTransactionFilter,
  eth_uninstallFilter,
  eth_getFilterChanges,
  eth_getFilterLogs,
  eth_subscribe,
  eth_unsubscribe,
  eth_sign,
  eth_sendTransaction,
  eth_sendRawTransaction,
  eth_getHeaderByNumber,
  eth_getHeaderByHash,
  eth_getRawTransactionByHash,
  eth_getRawTransactionByBlockHashAndIndex,
  eth_getRawTransactionByBlockNumberAndIndex,
  eth_getUncleByBlockHashAndIndex,
  eth_getUncleByBlockNumberAndIndex,
  eth_getTransactionLogs,
  eth_baseFee,
  eth_blobBaseFee,
  eth_pendingTransactions,
  eth_getStorageValues,
  eth_signTransaction,
  eth_fillTransaction,
  eth_resend,
  eth_signTypedData,
  eth_signTypedData_v4,
  eth_sendRawTransactionSync,
  eth_createAccessList,
  eth_simulateV1,
  eth_callMany,
  personal_importRawKey,
  personal_listAccounts,
  personal_lockAccount,
  personal_newAccount,
  personal_unlockAccount,
  personal_sendTransaction,
  personal_signTransaction,
  personal_sign,
  personal_ecRecover,
  personal_initializeWallet,
  personal_openWallet,
  personal_unpair,
  debug_traceTransaction,
  debug_traceBlockByNumber,
  debug_traceBlock,
  debug_traceBlockByHash,
  debug_traceCall,
  debug_getRawHeader,
  debug_getRawBlock,
  debug_getRawReceipts,
  debug_getRawTransaction,
  debug_getBadBlocks,
  debug_traceBadBlock,
  debug_storageRangeAt,
  debug_accountRange,
  debug_dumpBlock,
  debug_getModifiedAccountsByNumber,
  debug_getModifiedAccountsByHash,
  debug_intermediateRoots,
  trace_block,
  trace_transaction,
  trace_get,
  trace_filter,
  trace_call,
  trace_callMany,
  trace_rawTransaction,
  trace_replayTransaction,
  trace_replayBlockTransactions,
  miner_getHashrate,
  miner_setExtra,
  miner_setGasPrice,
  miner_start,
  miner_stop,
  miner_setGasLimit,
  miner_setEtherbase,
  admin_nodeInfo,
  admin_peers,
  admin_datadir,
  txpool_content,
  txpool_contentFrom,
  txpool_inspect,
  txpool_status,
  rpc_modules,
  'rpc.discover': rpc_discover,
}
