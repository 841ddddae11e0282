/** From what the chain stored of a block to what FinalizeBlock answers: the same for a fresh block and for an old one. */
import type { DecidedTransaction } from '../../chain/reader.ts'
import type { Receipt } from '../../chain/receipt.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { ApplicationEvent, FinalizeBlockResponse } from '../application.ts'
import { transactionEvents } from './events.ts'

/** What a block did, as execution or the store gives it. */
export type BlockOutcome = {
  readonly decided: readonly DecidedTransaction[]
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly stateRoot: Uint8Array
}

function eventsOf(
  chainName: string,
  { transactions, receipts }: BlockOutcome,
  { result, transactionIndex }: DecidedTransaction,
): readonly ApplicationEvent[] {
  if (transactionIndex === undefined) return []
  const transaction = transactions[transactionIndex]
  const receipt = receipts[transactionIndex]
  if (transaction === undefined || receipt === undefined) return []
  return transactionEvents(chainName, { transaction, receipt, transactionIndex, log: result.log })
}

/** The answer to FinalizeBlock. The validator set and the parameters do not change (D20). */
export function finalizeResponse(chainName: string, block: BlockOutcome): FinalizeBlockResponse {
  return {
    events: [],
    txResults: block.decided.map((decided) => ({
      ...decided.result,
      info: '',
      events: eventsOf(chainName, block, decided),
    })),
    validatorUpdates: [],
    consensusParamUpdates: undefined,
    appHash: block.stateRoot,
  }
}
