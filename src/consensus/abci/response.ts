/** An application's responses over the socket (CometBFT v0.38, abci/types.proto, `Response`). */
import { concatAll, concatBytes, EMPTY_BYTES, utf8 } from '../../base/bytes.ts'
import {
  bytesField,
  encodeVarint,
  messageField,
  stringField,
  varintField,
} from '../../proof/comet/protobuf.ts'
import type {
  ApplySnapshotChunkResponse,
  CheckTxResponse,
  FinalizeBlockResponse,
  InfoResponse,
  InitChainResponse,
  OfferSnapshotResult,
  QueryResponse,
  Snapshot,
} from '../application.ts'
import { encodeEvents } from './eventBytes.ts'
import { encodeConsensusParams, encodeExecTxResult, encodeValidatorUpdate } from './values.ts'

/** By their numbers in ResponseOfferSnapshot. */
const OFFER_RESULTS: readonly (OfferSnapshotResult | 'unknown')[] = [
  'unknown',
  'accept',
  'abort',
  'reject',
  'reject-format',
  'reject-sender',
]

/** By their numbers in ResponseApplySnapshotChunk. */
const APPLY_RESULTS: readonly (ApplySnapshotChunkResponse['result'] | 'unknown')[] = [
  'unknown',
  'accept',
  'abort',
  'retry',
  'retry-snapshot',
  'reject-snapshot',
]

export type AbciResponse =
  | { readonly type: 'exception'; readonly error: string }
  | { readonly type: 'echo'; readonly message: string }
  | { readonly type: 'flush' }
  | { readonly type: 'info'; readonly response: InfoResponse }
  | { readonly type: 'initChain'; readonly response: InitChainResponse }
  | { readonly type: 'query'; readonly response: QueryResponse }
  | { readonly type: 'checkTx'; readonly response: CheckTxResponse }
  | { readonly type: 'commit'; readonly retainHeight: number }
  | { readonly type: 'listSnapshots'; readonly snapshots: readonly Snapshot[] }
  | { readonly type: 'offerSnapshot'; readonly result: OfferSnapshotResult }
  | { readonly type: 'loadSnapshotChunk'; readonly chunk: Uint8Array }
  | { readonly type: 'applySnapshotChunk'; readonly response: ApplySnapshotChunkResponse }
  | { readonly type: 'prepareProposal'; readonly txs: readonly Uint8Array[] }
  | { readonly type: 'processProposal'; readonly status: 'accept' | 'reject' }
  | { readonly type: 'extendVote' }
  | { readonly type: 'verifyVoteExtension'; readonly status: 'accept' | 'reject' }
  | { readonly type: 'finalizeBlock'; readonly response: FinalizeBlockResponse }
  | { readonly type: 'insertTx'; readonly code: number }
  | { readonly type: 'reapTxs'; readonly txs: readonly Uint8Array[] }

/** Field number of each kind in `Response`. */
const FIELDS: Readonly<Record<AbciResponse['type'], number>> = {
  exception: 1,
  echo: 2,
  flush: 3,
  info: 4,
  initChain: 6,
  query: 7,
  checkTx: 9,
  commit: 12,
  listSnapshots: 13,
  offerSnapshot: 14,
  loadSnapshotChunk: 15,
  applySnapshotChunk: 16,
  prepareProposal: 17,
  processProposal: 18,
  extendVote: 19,
  verifyVoteExtension: 20,
  finalizeBlock: 21,
  insertTx: 22,
  reapTxs: 23,
}

const ACCEPT = 1
const REJECT = 2

const statusField = (status: 'accept' | 'reject') =>
  varintField(1, status === 'accept' ? ACCEPT : REJECT)

function infoBody(info: InfoResponse): Uint8Array {
  return concatBytes(
    stringField(1, info.data),
    stringField(2, info.version),
    varintField(3, info.appVersion),
    varintField(4, info.lastBlockHeight),
    bytesField(5, info.lastBlockAppHash),
  )
}

function initChainBody({ validators, appHash }: InitChainResponse): Uint8Array {
  return concatAll([
    ...validators.map((update) => messageField(2, encodeValidatorUpdate(update))),
    bytesField(3, appHash),
  ])
}

function queryBody(query: QueryResponse): Uint8Array {
  return concatBytes(
    varintField(1, query.code),
    stringField(3, query.log),
    stringField(4, query.info),
    varintField(5, query.index),
    bytesField(6, query.key),
    bytesField(7, query.value),
    varintField(9, query.height),
    stringField(10, query.codespace),
  )
}

function checkTxBody(check: CheckTxResponse): Uint8Array {
  return concatBytes(
    varintField(1, check.code),
    bytesField(2, check.data),
    stringField(3, check.log),
    varintField(5, check.gasWanted),
    varintField(6, check.gasUsed),
    stringField(8, check.codespace),
  )
}

function snapshotBody(snapshot: Snapshot): Uint8Array {
  return concatBytes(
    varintField(1, snapshot.height),
    varintField(2, snapshot.format),
    varintField(3, snapshot.chunks),
    bytesField(4, snapshot.hash),
    bytesField(5, snapshot.metadata),
  )
}

function applyBody(applied: ApplySnapshotChunkResponse): Uint8Array {
  return concatAll([
    varintField(1, APPLY_RESULTS.indexOf(applied.result)),
    bytesField(2, concatAll(applied.refetchChunks.map(encodeVarint))),
    ...applied.rejectSenders.map((sender) => messageField(3, utf8(sender))),
  ])
}

function finalizeBlockBody(block: FinalizeBlockResponse): Uint8Array {
  const { consensusParamUpdates: params } = block
  return concatAll([
    encodeEvents(1, block.events),
    ...block.txResults.map((result) => messageField(2, encodeExecTxResult(result))),
    ...block.validatorUpdates.map((update) => messageField(3, encodeValidatorUpdate(update))),
    params === undefined ? EMPTY_BYTES : messageField(4, encodeConsensusParams(params)),
    bytesField(5, block.appHash),
  ])
}

function bodyOf(response: AbciResponse): Uint8Array {
  switch (response.type) {
    case 'exception':
      return stringField(1, response.error)
    case 'echo':
      return stringField(1, response.message)
    case 'flush':
    case 'extendVote':
      return EMPTY_BYTES
    case 'info':
      return infoBody(response.response)
    case 'initChain':
      return initChainBody(response.response)
    case 'query':
      return queryBody(response.response)
    case 'checkTx':
      return checkTxBody(response.response)
    case 'commit':
      return varintField(3, response.retainHeight)
    case 'listSnapshots':
      return concatAll(response.snapshots.map((each) => messageField(1, snapshotBody(each))))
    case 'offerSnapshot':
      return varintField(1, OFFER_RESULTS.indexOf(response.result))
    case 'loadSnapshotChunk':
      return bytesField(1, response.chunk)
    case 'applySnapshotChunk':
      return applyBody(response.response)
    case 'insertTx':
      return varintField(1, response.code)
    case 'prepareProposal':
    case 'reapTxs':
      return concatAll(response.txs.map((tx) => messageField(1, tx)))
    case 'processProposal':
    case 'verifyVoteExtension':
      return statusField(response.status)
    default:
      return finalizeBlockBody(response.response)
  }
}

/** Encodes a response. */
export function encodeResponse(response: AbciResponse): Uint8Array {
  return messageField(FIELDS[response.type], bodyOf(response))
}
