/** CometBFT's requests to an application over the socket (CometBFT v0.38 to v0.40, abci/types.proto, `Request`). */
import { parseMessage, ProtobufError, type Message } from '../../proof/comet/protobuf.ts'
import { decodeTimestamp } from '../../proof/comet/time.ts'
import type {
  ApplySnapshotChunkRequest,
  InitChainRequest,
  OfferSnapshotRequest,
  PrepareProposalRequest,
  ProposedBlock,
  QueryRequest,
} from '../application.ts'
import {
  decodeCommitInfo,
  decodeConsensusParams,
  decodeMisbehavior,
  decodeValidatorUpdate,
} from './values.ts'

export type AbciRequest =
  | { readonly type: 'echo'; readonly message: string }
  | { readonly type: 'flush' }
  | { readonly type: 'info' }
  | { readonly type: 'initChain'; readonly request: InitChainRequest }
  | { readonly type: 'query'; readonly request: QueryRequest }
  | { readonly type: 'checkTx'; readonly tx: Uint8Array; readonly recheck: boolean }
  | { readonly type: 'commit' }
  | { readonly type: 'listSnapshots' }
  | { readonly type: 'offerSnapshot'; readonly request: OfferSnapshotRequest }
  | {
      readonly type: 'loadSnapshotChunk'
      readonly request: { readonly height: number; readonly format: number; readonly chunk: number }
    }
  | { readonly type: 'applySnapshotChunk'; readonly request: ApplySnapshotChunkRequest }
  | { readonly type: 'prepareProposal'; readonly request: PrepareProposalRequest }
  | { readonly type: 'processProposal'; readonly block: ProposedBlock }
  | { readonly type: 'extendVote' }
  | { readonly type: 'verifyVoteExtension'; readonly extension: Uint8Array }
  | { readonly type: 'finalizeBlock'; readonly block: ProposedBlock }
  | { readonly type: 'insertTx'; readonly tx: Uint8Array }
  | { readonly type: 'reapTxs'; readonly maxBytes: number }

function parts<T>(message: Message, field: number, decode: (part: Message) => T): readonly T[] {
  return message.all(field).map((bytes) => decode(parseMessage(bytes)))
}

function initChain(message: Message): AbciRequest {
  return {
    type: 'initChain',
    request: {
      time: decodeTimestamp(message.message(1)),
      chainId: message.text(2),
      consensusParams: decodeConsensusParams(message.message(3)),
      validators: parts(message, 4, decodeValidatorUpdate),
      appState: message.bytes(5),
      initialHeight: message.number(6),
    },
  }
}

function prepareProposal(message: Message): AbciRequest {
  return {
    type: 'prepareProposal',
    request: {
      maxTxBytes: message.number(1),
      txs: message.all(2),
      localLastCommit: decodeCommitInfo(message.message(3), 5),
      misbehavior: parts(message, 4, decodeMisbehavior),
      height: message.number(5),
      time: decodeTimestamp(message.message(6)),
      nextValidatorsHash: message.bytes(7),
      proposerAddress: message.bytes(8),
    },
  }
}

// ProcessProposal and FinalizeBlock have the same fields.
function proposedBlock(message: Message): ProposedBlock {
  return {
    txs: message.all(1),
    decidedLastCommit: decodeCommitInfo(message.message(2), 3),
    misbehavior: parts(message, 3, decodeMisbehavior),
    hash: message.bytes(4),
    height: message.number(5),
    time: decodeTimestamp(message.message(6)),
    nextValidatorsHash: message.bytes(7),
    proposerAddress: message.bytes(8),
  }
}

function offerSnapshot(message: Message): AbciRequest {
  const snapshot = message.message(1)
  return {
    type: 'offerSnapshot',
    request: {
      snapshot: {
        height: snapshot.number(1),
        format: snapshot.number(2),
        chunks: snapshot.number(3),
        hash: snapshot.bytes(4),
        metadata: snapshot.bytes(5),
      },
      appHash: message.bytes(2),
    },
  }
}

/** By the field number in `Request`. */
const DECODERS: ReadonlyMap<number, (message: Message) => AbciRequest> = new Map([
  [1, (message) => ({ type: 'echo', message: message.text(1) })],
  [2, () => ({ type: 'flush' })],
  [3, () => ({ type: 'info' })],
  [5, initChain],
  [
    6,
    (message) => ({
      type: 'query',
      request: {
        data: message.bytes(1),
        path: message.text(2),
        height: message.number(3),
        prove: message.uint(4) !== 0n,
      },
    }),
  ],
  [8, (message) => ({ type: 'checkTx', tx: message.bytes(1), recheck: message.uint(2) === 1n })],
  [11, () => ({ type: 'commit' })],
  [12, () => ({ type: 'listSnapshots' })],
  [13, offerSnapshot],
  [
    14,
    (message) => ({
      type: 'loadSnapshotChunk',
      request: {
        height: message.number(1),
        format: message.number(2),
        chunk: message.number(3),
      },
    }),
  ],
  [
    15,
    (message) => ({
      type: 'applySnapshotChunk',
      request: {
        index: message.number(1),
        chunk: message.bytes(2),
        sender: message.text(3),
      },
    }),
  ],
  [16, prepareProposal],
  [17, (message) => ({ type: 'processProposal', block: proposedBlock(message) })],
  [18, () => ({ type: 'extendVote' })],
  [19, (message) => ({ type: 'verifyVoteExtension', extension: message.bytes(4) })],
  [20, (message) => ({ type: 'finalizeBlock', block: proposedBlock(message) })],
  // Since 0.40 (D99). Its limit on gas is one that only a node's own configuration sets.
  [21, (message) => ({ type: 'insertTx', tx: message.bytes(1) })],
  [22, (message) => ({ type: 'reapTxs', maxBytes: message.number(1) })],
] satisfies [number, (message: Message) => AbciRequest][])

/** Decodes a request. Throws ProtobufError, also for one that is not part of ABCI 2.0. */
export function decodeRequest(bytes: Uint8Array): AbciRequest {
  const message = parseMessage(bytes)
  const [field, ...others] = message.fields()
  if (field === undefined || others.length > 0)
    throw new ProtobufError('a request has exactly one kind')
  const decode = DECODERS.get(field)
  if (decode === undefined) throw new ProtobufError(`request ${field} is unknown in ABCI 2.0`)
  return decode(message.message(field))
}
