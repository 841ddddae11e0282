/** What an engine requires of the pool that feeds it (evm/engineMempool.ts has the EVM's). */
import type { CheckTxResponse } from '../application.ts'
import { ConsensusError } from '../engine.ts'

export type EngineMempool = {
  /**
   * Checks a transaction and accepts it when the response's code is 0. With `isKept` the response waits until a restart
   * would not lose it. Throws ConsensusError with CometBFT's message.
   */
  broadcast(tx: Uint8Array, isKept: boolean): Promise<CheckTxResponse>
  /** What PrepareProposal receives; empty when the application proposes from a pool of its own. */
  txs(): readonly Uint8Array[]
  /** Whether a block made now would contain transactions. */
  hasTransactions(): boolean
  /** Calls back when a transaction arrives that a block could include; ends with the signal. */
  onTransactions(listener: () => void, signal: AbortSignal): void
  /** Updates the pool after a committed block. */
  update(txs: readonly Uint8Array[]): void
}

/** Maximum size of a transaction in bytes; CometBFT's default. */
const MAX_TX_BYTES = 1_048_576

/** Throws ConsensusError for a transaction too large for any block. */
export function checkTxSize(tx: Uint8Array): void {
  if (tx.length > MAX_TX_BYTES)
    throw new ConsensusError(`Tx too large. Max size is ${MAX_TX_BYTES}, but got ${tx.length}`)
}
