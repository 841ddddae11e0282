/** What an engine asks of the pool that feeds it (evm/engineMempool.ts has the EVM's). */
import type { CheckTxResponse } from '../application.ts'
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

/** Most bytes of a transaction, CometBFT's default. */
const MAX_TX_BYTES = 1_048_576

/** Throws ConsensusError for a transaction that no block takes. */
export function checkTxSize(tx: Uint8Array): void {
  if (tx.length > MAX_TX_BYTES)
    throw new ConsensusError(`Tx too large. Max size is ${MAX_TX_BYTES}, but got ${tx.length}`)
}
