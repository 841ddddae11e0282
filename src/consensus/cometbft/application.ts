/** The EVM application as a CometBFT node drives it: from outside, in steps that may arrive in any order. */
import { createSerialQueue } from '../../base/serialQueue.ts'
import { UserError } from '../../base/errors.ts'
import type { Kv } from '../../store/kv.ts'
import type { RemoteApplication } from '../abci/dispatch.ts'
import type { EvmApplication } from '../evm/application.ts'
import type { CheckTxResponse } from '../application.ts'
import type { Mempool } from '../mempool/types.ts'

/** From this code on, CometBFT takes the same transaction from a peer again (`CodeTypeRetry`). */
const CODE_RETRY = 32_000

/**
 * A request that does not follow from the previous ones. CometBFT never sends one; two CometBFT nodes on one
 * application may.
 */
export class OutOfOrderError extends Error {
  override readonly name = 'OutOfOrderError'
}

export type RemoteApplicationOptions = {
  readonly application: EvmApplication
  readonly pool: Pick<Mempool, 'update'>
  readonly kv: Kv
  /** `app_state` of this home's genesis.json. */
  readonly appState: Uint8Array
  /** Called with the height of a block that is on disk. */
  readonly onCommitted: (height: number) => void
  readonly gossip: RemoteGossip
}

/** How the application's pool and CometBFT's network pass transactions to each other. */
export type RemoteGossip = {
  /** Whether CometBFT's pool is the application's (D99): then nothing is held back until CometBFT shows that it has it. */
  isAppMempool(): boolean
  /** Called when a peer or CometBFT's RPC has brought a transaction that the pool took. */
  onTaken(raw: Uint8Array): void
  /** CometBFT asks what to gossip, which says that its pool is the application's. */
  reap(maxBytes: number): readonly Uint8Array[]
}

/** JSON text without insignificant white space. */
function normalised(json: Uint8Array): string {
  return JSON.stringify(JSON.parse(new TextDecoder().decode(json)))
}

/**
 * The application for the socket. Steps that depend on the last block are serialized: a CometBFT that reconnects while
 * the last commit is still being written is told about that commit (recovery table of ABCI 2.0).
 */
export function createRemoteApplication(options: RemoteApplicationOptions): RemoteApplication {
  const { application, pool, kv, appState, onCommitted, gossip } = options
  const turns = createSerialQueue()
  let finalizedHeight: number | undefined

  function requireNext(step: string, height: number): void {
    const next = application.info().lastBlockHeight + 1
    if (height !== next)
      throw new OutOfOrderError(`${step} of height ${height}, where height ${next} is the next one`)
  }

  async function take(tx: Uint8Array): Promise<CheckTxResponse> {
    const response = await application.takeTx(tx)
    if (response.code === 0) gossip.onTaken(tx)
    return response
  }

  return {
    info: () => turns.run(async () => application.info()),
    initChain: (request) =>
      turns.run(async () => {
        requireNext('InitChain', 1)
        if (normalised(request.appState) !== normalised(appState))
          throw new UserError(
            "CometBFT's genesis.json has a different app_state than this home folder",
            'All nodes of a chain must have the same genesis.json.',
          )
        return application.initChain(request)
      }),
    async checkTx(tx, recheck) {
      // Only what CometBFT has in its own pool is ever checked again.
      if (recheck || gossip.isAppMempool()) return await take(tx)
      return await application.holdTx(tx)
    },
    // Whatever the reason, it may be gone soon: a full pool, a nonce that is far ahead, a fee that is too low.
    insertTx: async (tx) => ((await take(tx)).code === 0 ? 0 : CODE_RETRY),
    reapTxs: (maxBytes) => gossip.reap(maxBytes),
    prepareProposal: (request) =>
      turns.run(async () => {
        requireNext('PrepareProposal', request.height)
        return await application.prepareProposal(request)
      }),
    processProposal: (block) => turns.run(() => application.processProposal(block)),
    finalizeBlock: (block) =>
      turns.run(async () => {
        requireNext('FinalizeBlock', block.height)
        const response = await application.finalizeBlock(block)
        finalizedHeight = block.height
        return response
      }),
    commit: () =>
      turns.run(async () => {
        if (finalizedHeight === undefined) throw new OutOfOrderError('Commit before FinalizeBlock')
        const height = finalizedHeight
        finalizedHeight = undefined
        let retainHeight = 0
        await kv.commit(() => {
          retainHeight = application.commit().retainHeight
        })
        // Before the response: CometBFT asks next which transactions are still valid.
        pool.update(application.lastUpdate())
        onCommitted(height)
        return { retainHeight }
      }),
    query: (request) => application.query(request),
    listSnapshots: () => application.listSnapshots(),
    loadSnapshotChunk: (chunk) => application.loadSnapshotChunk(chunk),
    offerSnapshot: (request) => turns.run(() => application.offerSnapshot(request)),
    applySnapshotChunk: (request) => turns.run(() => application.applySnapshotChunk(request)),
  }
}
