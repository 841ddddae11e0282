/** One call of a simulated block. */
import { transitionRules } from '../../chain/blockEnvironment.ts'
import type { ChainRules } from '../../chain/executed.ts'
import { contractAddress } from '../../evm/contractAddress.ts'
import { InvalidTransactionError } from '../../evm/invalidTransaction.ts'
import type { TracedEngine } from '../../evm/tracers/engine.ts'
import type { Transactable } from '../../evm/transactable.ts'
import { runTransaction, type TransitionResult } from '../../evm/transition.ts'
import type { BlockEnvironment, Log, StateView } from '../../evm/types.ts'
import { checkFees, checkFunds, checkIntrinsicGas, checkTransaction } from '../../evm/validity.ts'
import { RpcError, type RPC_ERRORS } from '../../wire/errors.ts'
import { watchTransfers } from './transferLogs.ts'

/** Kinds of errors by the reason why a transaction is invalid. */
const KINDS: Readonly<Record<string, keyof typeof RPC_ERRORS>> = {
  'nonce-too-low': 'nonceTooLow',
  'nonce-too-high': 'nonceTooHigh',
  'fee-cap-too-low': 'baseFeeTooLow',
  'intrinsic-gas': 'intrinsicGas',
  'floor-data-gas': 'intrinsicGas',
  'insufficient-funds': 'insufficientFunds',
  'sender-not-eoa': 'senderNotEoa',
  'init-code-too-large': 'initCodeTooLarge',
}

function check(
  transaction: Transactable,
  block: BlockEnvironment,
  state: StateView,
  validation: boolean,
): void {
  // As one without a signature: even under validation, contracts may call.
  if (validation) return checkTransaction({ ...transaction, s: 0n }, block, state)
  if (transaction.maxFeePerGas > 0n) checkFees(transaction, block)
  checkFunds(transaction, state)
  checkIntrinsicGas(transaction, block)
}

/** The block of a simulation, and the current state. */
type SimulationPlace = {
  readonly block: BlockEnvironment
  readonly state: StateView
  readonly rules: ChainRules
}

/** Checks and runs a call. Throws RpcError with the code of the reason why it is invalid. */
export function simulateOne(
  { engine, observe }: TracedEngine,
  transaction: Transactable,
  { block, state, rules }: SimulationPlace,
  options: { readonly validation: boolean; readonly traceTransfers: boolean },
): { readonly outcome: TransitionResult; readonly logs: readonly Log[] } {
  const { sender, to, nonce, value, gasLimit } = transaction
  try {
    check(transaction, block, state, options.validation)
  } catch (error) {
    if (!(error instanceof InvalidTransactionError)) throw error
    throw new RpcError(
      KINDS[error.code] ?? 'internal',
      `err: ${error.message} (supplied gas ${gasLimit})`,
    )
  }
  const watched = watchTransfers(sender, to ?? contractAddress(sender, nonce), value)
  observe({ hooks: options.traceTransfers ? watched.hooks : {} })
  const outcome = runTransaction(engine, transaction, block, state, transitionRules(rules))
  if (outcome.status !== 'success') return { outcome, logs: [] }
  return { outcome, logs: options.traceTransfers ? watched.logs : outcome.logs }
}
