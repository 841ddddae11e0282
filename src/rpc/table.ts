/** Every JSON-RPC method. A name that is not here does not exist (-32601). */
import type { Method } from '../wire/method.ts'
import { admin_datadir } from './admin/datadir.ts'
import { admin_nodeInfo } from './admin/nodeInfo.ts'
import { admin_peers } from './admin/peers.ts'
import { debug_accountRange } from './debug/accountRange.ts'
import { debug_getBadBlocks } from './debug/getBadBlocks.ts'
import { debug_getRawBlock } from './debug/getRawBlock.ts'
import { debug_getRawHeader } from './debug/getRawHeader.ts'
import { debug_getRawReceipts } from './debug/getRawReceipts.ts'
import { debug_getRawTransaction } from './debug/getRawTransaction.ts'
import { debug_intermediateRoots } from './debug/intermediateRoots.ts'
import { debug_storageRangeAt } from './debug/storageRangeAt.ts'
import { debug_traceBlock } from './debug/traceBlock.ts'
import { debug_traceBlockByHash } from './debug/traceBlockByHash.ts'
import { debug_traceBlockByNumber } from './debug/traceBlockByNumber.ts'
import { debug_traceCall } from './debug/traceCall.ts'
import { debug_traceTransaction } from './debug/traceTransaction.ts'
import { eth_accounts } from './eth/accounts.ts'
import { eth_baseFee } from './eth/baseFee.ts'
import { eth_blobBaseFee } from './eth/blobBaseFee.ts'
import { eth_blockNumber } from './eth/blockNumber.ts'
import { eth_call } from './eth/call.ts'
import { eth_chainId } from './eth/chainId.ts'
import { eth_coinbase } from './eth/coinbase.ts'
import { eth_config } from './eth/config.ts'
import { eth_createAccessList } from './eth/createAccessList.ts'
import { eth_estimateGas } from './eth/estimateGas.ts'
import { eth_feeHistory } from './eth/feeHistory.ts'
import { eth_fillTransaction } from './eth/fillTransaction.ts'
import { eth_gasPrice } from './eth/gasPrice.ts'
import { eth_getBalance } from './eth/getBalance.ts'
import { eth_getBlockByHash } from './eth/getBlockByHash.ts'
import { eth_getBlockByNumber } from './eth/getBlockByNumber.ts'
import { eth_getBlockReceipts } from './eth/getBlockReceipts.ts'
import { eth_getBlockTransactionCountByHash } from './eth/getBlockTransactionCountByHash.ts'
import { eth_getBlockTransactionCountByNumber } from './eth/getBlockTransactionCountByNumber.ts'
import { eth_getCode } from './eth/getCode.ts'
import { eth_getFilterChanges } from './eth/getFilterChanges.ts'
import { eth_getFilterLogs } from './eth/getFilterLogs.ts'
import { eth_getHeaderByHash } from './eth/getHeaderByHash.ts'
import { eth_getHeaderByNumber } from './eth/getHeaderByNumber.ts'
import { eth_getLogs } from './eth/getLogs.ts'
import { eth_getProof } from './eth/getProof.ts'
import { eth_getRawTransactionByBlockHashAndIndex } from './eth/getRawTransactionByBlockHashAndIndex.ts'
import { eth_getRawTransactionByBlockNumberAndIndex } from './eth/getRawTransactionByBlockNumberAndIndex.ts'
import { eth_getRawTransactionByHash } from './eth/getRawTransactionByHash.ts'
import { eth_getStorageAt } from './eth/getStorageAt.ts'
import { eth_getStorageValues } from './eth/getStorageValues.ts'
import { eth_getTransactionByBlockHashAndIndex } from './eth/getTransactionByBlockHashAndIndex.ts'
import { eth_getTransactionByBlockNumberAndIndex } from './eth/getTransactionByBlockNumberAndIndex.ts'
import { eth_getTransactionByHash } from './eth/getTransactionByHash.ts'
import { eth_getTransactionCount } from './eth/getTransactionCount.ts'
import { eth_getTransactionLogs } from './eth/getTransactionLogs.ts'
import { eth_getTransactionReceipt } from './eth/getTransactionReceipt.ts'
import { eth_getUncleByBlockHashAndIndex } from './eth/getUncleByBlockHashAndIndex.ts'
import { eth_getUncleByBlockNumberAndIndex } from './eth/getUncleByBlockNumberAndIndex.ts'
import { eth_getUncleCountByBlockHash } from './eth/getUncleCountByBlockHash.ts'
import { eth_getUncleCountByBlockNumber } from './eth/getUncleCountByBlockNumber.ts'
import { eth_maxPriorityFeePerGas } from './eth/maxPriorityFeePerGas.ts'
import { eth_newBlockFilter } from './eth/newBlockFilter.ts'
import { eth_newFilter } from './eth/newFilter.ts'
import { eth_newPendingTransactionFilter } from './eth/newPendingTransactionFilter.ts'
import { eth_pendingTransactions } from './eth/pendingTransactions.ts'
import { eth_protocolVersion } from './eth/protocolVersion.ts'
import { eth_resend } from './eth/resend.ts'
import { eth_sendRawTransaction } from './eth/sendRawTransaction.ts'
import { eth_sendRawTransactionSync } from './eth/sendRawTransactionSync.ts'
import { eth_sendTransaction } from './eth/sendTransaction.ts'
import { eth_sign } from './eth/sign.ts'
import { eth_signTransaction } from './eth/signTransaction.ts'
import { eth_signTypedData } from './eth/signTypedData.ts'
import { eth_signTypedData_v4 } from './eth/signTypedData_v4.ts'
import { eth_simulateV1 } from './eth/simulateV1.ts'
import { eth_subscribe } from './eth/subscribe.ts'
import { eth_syncing } from './eth/syncing.ts'
import { eth_uninstallFilter } from './eth/uninstallFilter.ts'
import { eth_unsubscribe } from './eth/unsubscribe.ts'
import { miner_getHashrate } from './miner/getHashrate.ts'
import { miner_setEtherbase } from './miner/setEtherbase.ts'
import { miner_setExtra } from './miner/setExtra.ts'
import { miner_setGasLimit } from './miner/setGasLimit.ts'
import { miner_setGasPrice } from './miner/setGasPrice.ts'
import { miner_start } from './miner/start.ts'
import { miner_stop } from './miner/stop.ts'
import { net_listening } from './net/listening.ts'
import { net_peerCount } from './net/peerCount.ts'
import { net_version } from './net/version.ts'
import type { Node } from './node.ts'
import { personal_ecRecover } from './personal/ecRecover.ts'
import { personal_importRawKey } from './personal/importRawKey.ts'
import { personal_initializeWallet } from './personal/initializeWallet.ts'
import { personal_listAccounts } from './personal/listAccounts.ts'
import { personal_lockAccount } from './personal/lockAccount.ts'
import { personal_newAccount } from './personal/newAccount.ts'
import { personal_openWallet } from './personal/openWallet.ts'
import { personal_sendTransaction } from './personal/sendTransaction.ts'
import { personal_sign } from './personal/sign.ts'
import { personal_signTransaction } from './personal/signTransaction.ts'
import { personal_unlockAccount } from './personal/unlockAccount.ts'
import { personal_unpair } from './personal/unpair.ts'
import { rpc_discover } from './rpc/discover.ts'
import { rpc_modules } from './rpc/modules.ts'
import { trace_block } from './trace/block.ts'
import { trace_call } from './trace/call.ts'
import { trace_callMany } from './trace/callMany.ts'
import { trace_filter } from './trace/filter.ts'
import { trace_get } from './trace/get.ts'
import { trace_replayBlockTransactions } from './trace/replayBlockTransactions.ts'
import { trace_replayTransaction } from './trace/replayTransaction.ts'
import { trace_transaction } from './trace/transaction.ts'
import { txpool_content } from './txpool/content.ts'
import { txpool_contentFrom } from './txpool/contentFrom.ts'
import { txpool_inspect } from './txpool/inspect.ts'
import { txpool_status } from './txpool/status.ts'
import { web3_clientVersion } from './web3/clientVersion.ts'
import { web3_sha3 } from './web3/sha3.ts'

/** Methods by their names on the wire. */
export const METHODS: Readonly<Record<string, Method<Node>>> = {
  web3_clientVersion,
  web3_sha3,
  net_version,
  net_peerCount,
  net_listening,
  eth_protocolVersion,
  eth_chainId,
  eth_config,
  eth_syncing,
  eth_blockNumber,
  eth_gasPrice,
  eth_maxPriorityFeePerGas,
  eth_feeHistory,
  eth_accounts,
  eth_coinbase,
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
  debug_storageRangeAt,
  debug_accountRange,
  debug_intermediateRoots,
  trace_block,
  trace_transaction,
  trace_get,
  trace_filter,
  trace_call,
  trace_callMany,
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
