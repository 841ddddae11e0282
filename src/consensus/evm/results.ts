/**
 * Derives the FinalizeBlock response from what the chain stored for a block: identical for a new block and for an old
 * one.
 */
import type { DecidedTransaction } from '../../chain/reader.ts'
import type { Receipt } from '../../chain/receipt.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { ValidatorPower } from '../../chain/staking/validatorSet.ts'
import type { Log } from '../../evm/types.ts'
import type {
  ApplicationEvent,
  ExecTxResult,
  FinalizeBlockResponse,
  ValidatorUpdate,
} from '../application.ts'
import { transactionEvents, type EventFacts } from './events.ts'
import { stakingEvents } from './stakingEvents.ts'

/** The outcome of a block, from execution or from the store. */
export type BlockOutcome = {
  readonly decided: readonly DecidedTransaction[]
  readonly transactions: readonly Transaction[]
  readonly receipts: readonly Receipt[]
  readonly validatorUpdates: readonly ValidatorPower[]
  readonly systemLogs: readonly Log[]
  readonly stateRoot: Uint8Array
}

/** The result of one decided transaction. Its events are derived on first access: most are never read. */
export function txResult(
  chainName: string,
  { result, transactionIndex }: DecidedTransaction,
  transaction: Transaction | undefined,
  receipt: (EventFacts['receipt'] & Pick<Receipt, 'logs'>) | undefined,
): ExecTxResult {
  let derived: readonly ApplicationEvent[] | undefined
  const derive = (): readonly ApplicationEvent[] =>
    transactionIndex === undefined || transaction === undefined || receipt === undefined
      ? []
      : [
          ...transactionEvents(chainName, {
            transaction,
            receipt,
            transactionIndex,
            log: result.log,
          }),
          ...stakingEvents(receipt.logs),
        ]
  return {
    code: result.code,
    data: result.data,
    log: result.log,
    info: '',
    gasWanted: result.gasWanted,
    gasUsed: result.gasUsed,
    codespace: result.codespace,
    get events() {
      derived ??= derive()
      return derived
    },
  }
}

/** Entries of a validator set as an engine accepts them. */
export function asUpdates(set: readonly ValidatorPower[]): readonly ValidatorUpdate[] {
  return set.map(({ publicKey, power }) => ({ type: 'ed25519', publicKey, power }))
}

/** The response to FinalizeBlock. The consensus parameters do not change (D20). */
export function finalizeResponse(
  chainName: string,
  { decided, transactions, receipts, validatorUpdates, systemLogs, stateRoot }: BlockOutcome,
): FinalizeBlockResponse {
  return {
    events: stakingEvents(systemLogs),
    txResults: decided.map((each) => {
      const index = each.transactionIndex ?? -1
      return txResult(chainName, each, transactions[index], receipts[index])
    }),
    validatorUpdates: asUpdates(validatorUpdates),
    consensusParamUpdates: undefined,
    appHash: stateRoot,
  }
}
