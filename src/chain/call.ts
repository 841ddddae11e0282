/** Calls that change nothing: eth_call, and the binary search of eth_estimateGas. */
import { equalBytes } from '../base/bytes.ts'
import { gasCapOf, TRANSACTION_GAS } from '../evm/gas.ts'
import { InvalidTransactionError } from '../evm/invalidTransaction.ts'
import { revertMessage } from '../evm/revertReason.ts'
import type { Transactable } from '../evm/transactable.ts'
import type { TransitionResult } from '../evm/transition.ts'
import {
  EMPTY_CODE_HASH,
  type BlockEnvironment,
  type Engine,
  type StateView,
} from '../evm/types.ts'
import type { BlockHeader } from './block.ts'
import { environmentOf, runCall, transactionOf, type CallObject } from './callTransaction.ts'
import type { ChainRules } from './executed.ts'

/** `gasCap`: maximum gas of a call, whatever it requests (json-rpc.gas-cap). */
export type CallOptions = {
  readonly gasCap: bigint
  /** Changes what the call sees of its block. */
  readonly adjustBlock?: (block: BlockEnvironment) => BlockEnvironment
}

/** Where a call runs: on the state after the block of `header`, in that block's environment. */
export type CallPlace = {
  readonly engine: Engine
  readonly rules: ChainRules
  readonly header: BlockHeader
  readonly state: StateView
}

/** The code reverted; the message is go-ethereum's, `output` the revert data. */
export class ExecutionRevertedError extends Error {
  override readonly name = 'ExecutionRevertedError'
  readonly output: Uint8Array

  constructor(output: Uint8Array) {
    super(revertMessage(output))
    this.output = output
  }
}

/** Throws the error again. Of a transaction that is invalid it says in which attempt it was, in go-ethereum's words. */
export function rethrow(error: unknown, describe: (reason: string) => string): never {
  if (!(error instanceof InvalidTransactionError)) throw error
  throw new InvalidTransactionError(error.code, describe(error.message))
}

/** How eth_call refuses a transaction that is invalid. */
export const withSuppliedGas =
  (gas: bigint) =>
  (reason: string): string =>
    `err: ${reason} (supplied gas ${gas})`

/** Runs a call. Nonce and sender's code do not matter. `gasUsed` includes intrinsic gas. Throws InvalidTransactionError. */
export function simulateCall(
  { engine, rules, header, state }: CallPlace,
  call: CallObject,
  { gasCap }: CallOptions,
): TransitionResult {
  const gas = call.gas === undefined || call.gas > gasCap ? gasCap : call.gas
  const transaction = transactionOf(call, state, gas)
  const environment = environmentOf(rules, header, state, transaction)
  try {
    return runCall(engine, environment, transaction, state)
  } catch (error) {
    return rethrow(error, withSuppliedGas(gas))
  }
}

/** Upper bound of an estimate's search: the lowest of the requested, allowed and affordable limits. */
function highestLimit(
  call: CallObject,
  { maxFeePerGas, value, sender }: Transactable,
  environment: BlockEnvironment,
  { header, state }: CallPlace,
  gasCap: bigint,
): bigint {
  const asked = call.gas !== undefined && call.gas >= TRANSACTION_GAS ? call.gas : header.gasLimit
  const limits = [asked, gasCapOf(environment) ?? asked, gasCap]
  if (maxFeePerGas > 0n) {
    const available = (state.account(sender)?.balance ?? 0n) - value
    if (available < 0n)
      throw new InvalidTransactionError(
        'insufficient-funds-for-transfer',
        'insufficient funds for transfer',
      )
    limits.push(available / maxFeePerGas)
  }
  return limits.reduce((least, limit) => (limit < least ? limit : least))
}

/** Whether no code runs at the recipient, so that the minimum gas is known. */
function isPlainTransfer(
  { to, data, accessList, authorizationList }: Transactable,
  state: StateView,
): boolean {
  if (to === undefined || data.length + accessList.length + authorizationList.length > 0)
    return false
  const account = state.account(to)
  return account === undefined || equalBytes(account.codeHash, EMPTY_CODE_HASH)
}

/** The stipend of a value transfer; an estimate must leave room for it and for EIP-150's 64th. */
const CALL_STIPEND = 2_300n

/**
 * The minimum gas limit, to within 1.5 %, with which the call succeeds. Throws ExecutionRevertedError, and
 * InvalidTransactionError with "gas required exceeds allowance (N)".
 */
export function estimateGas(
  place: CallPlace,
  call: CallObject,
  { gasCap, adjustBlock = (block) => block }: CallOptions,
): bigint {
  const { engine, rules, header, state } = place
  const model = transactionOf(call, state, gasCap)
  const environment = adjustBlock(environmentOf(rules, header, state, model))
  let high = highestLimit(call, model, environment, place, gasCap)
  const attempt = (gasLimit: bigint): TransitionResult | undefined => {
    try {
      return runCall(engine, environment, { ...model, gasLimit }, state)
    } catch (error) {
      const tooLittle =
        error instanceof InvalidTransactionError &&
        (error.code === 'intrinsic-gas' || error.code === 'floor-data-gas')
      if (tooLittle) return undefined
      return rethrow(error, (reason) => `failed with ${gasLimit} gas: ${reason}`)
    }
  }
  if (high >= TRANSACTION_GAS && isPlainTransfer(model, state)) {
    const transfer = attempt(TRANSACTION_GAS)
    if (transfer?.status === 'success') return transfer.gasUsed
  }
  const first = attempt(high)
  if (first?.status === 'revert') throw new ExecutionRevertedError(first.output)
  if (first === undefined || first.error.startsWith('out of gas'))
    throw new InvalidTransactionError(
      'gas-required-exceeds-allowance',
      `gas required exceeds allowance (${high})`,
    )
  if (first.status !== 'success')
    throw new InvalidTransactionError('gas-required-exceeds-allowance', first.error)
  let low = first.gasUsed - 1n
  const optimistic = ((first.gasUsed + first.gasRefund + CALL_STIPEND) * 64n) / 63n
  let middle = optimistic < high ? optimistic : high
  while (low + 1n < high && (high - low) * 1000n > high * 15n) {
    if (attempt(middle)?.status === 'success') high = middle
    else low = middle
    middle = (low + high) / 2n
    if (middle > low * 2n) middle = low * 2n
  }
  return high
}
