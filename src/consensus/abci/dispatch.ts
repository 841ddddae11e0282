/** From a request to its response: translates CometBFT's requests into calls of the application. */
import type {
  Application,
  CheckTxResponse,
  FinalizeBlockResponse,
  InfoResponse,
  InitChainRequest,
  InitChainResponse,
  PrepareProposalRequest,
  ProposedBlock,
  SnapshotApplication,
} from '../application.ts'
import type { AbciRequest } from './request.ts'
import type { AbciResponse } from './response.ts'

/**
 * The application as a remote engine drives it: every step may be asynchronous, and `commit` resolves when everything
 * is on disk.
 */
export type RemoteApplication = Pick<Application, 'query'> &
  SnapshotApplication & {
    info(): Promise<InfoResponse>
    initChain(request: InitChainRequest): Promise<InitChainResponse>
    checkTx(tx: Uint8Array, recheck: boolean): Promise<CheckTxResponse>
    prepareProposal(request: PrepareProposalRequest): Promise<readonly Uint8Array[]>
    processProposal(block: ProposedBlock): Promise<'accept' | 'reject'>
    finalizeBlock(block: ProposedBlock): Promise<FinalizeBlockResponse>
    commit(): Promise<{ readonly retainHeight: number }>
    /** Takes a transaction from a peer; 0 when the pool has it, as every other code is a refusal (D99). */
    insertTx(tx: Uint8Array): Promise<number>
    /** Transactions to gossip now, at most `maxBytes` of them; 0 for no limit. */
    reapTxs(maxBytes: number): readonly Uint8Array[]
  }

/**
 * The response to a request. Rejects as the application does: only for an out-of-order request or an internal fault.
 */
export async function dispatch(
  application: RemoteApplication,
  request: AbciRequest,
): Promise<AbciResponse> {
  const { type } = request
  switch (type) {
    case 'echo':
      return { type, message: request.message }
    case 'flush':
      return { type }
    case 'info':
      return { type, response: await application.info() }
    case 'initChain':
      return { type, response: await application.initChain(request.request) }
    case 'query':
      return { type, response: application.query(request.request) }
    case 'checkTx':
      return { type, response: await application.checkTx(request.tx, request.recheck) }
    case 'commit':
      return { type, ...(await application.commit()) }
    case 'prepareProposal':
      return { type, txs: await application.prepareProposal(request.request) }
    case 'processProposal':
      return { type, status: await application.processProposal(request.block) }
    case 'finalizeBlock':
      return { type, response: await application.finalizeBlock(request.block) }
    case 'insertTx':
      return { type, code: await application.insertTx(request.tx) }
    case 'reapTxs':
      return { type, txs: application.reapTxs(request.maxBytes) }
    // Votes have no extensions on this chain: genesis disables them.
    case 'extendVote':
      return { type }
    case 'verifyVoteExtension':
      return { type, status: request.extension.length === 0 ? 'accept' : 'reject' }
    case 'listSnapshots':
      return { type, snapshots: application.listSnapshots() }
    case 'offerSnapshot':
      return { type, result: await application.offerSnapshot(request.request) }
    case 'loadSnapshotChunk':
      return { type, chunk: await application.loadSnapshotChunk(request.request) }
    default:
      return { type, response: await application.applySnapshotChunk(request.request) }
  }
}
