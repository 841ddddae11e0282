/** What an engine asks of the pool that feeds it. The EVM application's pool and the plain queue below both fit. */
import { toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import type { Application, CheckTxResponse } from '../application.ts'
import { ConsensusError } from '../engine.ts'

export type EngineMempool = {
  /** Checks a transaction and takes it when the answer's code is 0. Throws ConsensusError with CometBFT's words. */
  broadcast(tx: Uint8Array): Promise<CheckTxResponse>
  /** What PrepareProposal is given; nothing when the application proposes from a pool of its own. */
  txs(): readonly Uint8Array[]
  /** Whether a block made now would carry transactions. */
  hasTransactions(): boolean
  /** Calls back when a transaction arrives that a block could carry; ends with the signal. */
  onTransactions(listener: () => void, signal: AbortSignal): void
  /** Follows a committed block. */
  update(txs: readonly Uint8Array[]): void
}

/** CometBFT's default limits: bytes of a transaction, transactions in the queue, their bytes together. */
export const MAX_TX_BYTES = 1_048_576
const MAX_TXS = 5000
const MAX_TXS_BYTES = 1_073_741_824

/** Throws ConsensusError for a transaction that no block takes. */
export function checkTxSize(tx: Uint8Array): void {
  if (tx.length > MAX_TX_BYTES)
    throw new ConsensusError(`Tx too large. Max size is ${MAX_TX_BYTES}, but got ${tx.length}`)
}

/** First in, first out, for applications without a pool of their own. Nothing is checked again after a block. */
export function createQueueMempool(application: Application): EngineMempool {
  const queue = new Map<string, Uint8Array>()
  const listeners = new Set<() => void>()
  let bytes = 0
  return {
    async broadcast(tx) {
      checkTxSize(tx)
      const key = toHexDigits(sha256(tx))
      if (queue.has(key)) throw new ConsensusError('tx already exists in cache')
      if (queue.size >= MAX_TXS || bytes + tx.length > MAX_TXS_BYTES)
        throw new ConsensusError(
          `mempool is full: number of txs ${queue.size} (max: ${MAX_TXS}), total txs bytes ${bytes} (max: ${MAX_TXS_BYTES})`,
        )
      const response = await application.checkTx(tx, false)
      if (response.code !== 0) return response
      queue.set(key, tx)
      bytes += tx.length
      for (const listener of listeners) listener()
      return response
    },
    txs: () => [...queue.values()],
    hasTransactions: () => queue.size > 0,
    onTransactions(listener, signal) {
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
    update(txs) {
      for (const tx of txs) if (queue.delete(toHexDigits(sha256(tx)))) bytes -= tx.length
    },
  }
}
