/** A call as an unsigned transaction: its checks and its environment. */
import { EMPTY_BYTES } from '../base/bytes.ts'
import type { Authorization, Transactable } from '../evm/transactable.ts'
import { runTransaction, tryTransaction, type TransitionResult } from '../evm/transition.ts'
import type { AccessListEntry, BlockEnvironment, Engine, StateView } from '../evm/types.ts'
import { checkFees, checkFunds, checkIntrinsicGas } from '../evm/validity.ts'
import type { BlockHeader } from './block.ts'
import { blockEnvironment, transitionRules } from './blockEnvironment.ts'
import type { ChainRules } from './executed.ts'
import { hardforkAt } from './upgrades/hardfork.ts'

/** A call as JSON-RPC describes it, with bytes and bigints. Absent fees are zero; no fee is charged then. */
export type CallObject = {
  readonly from?: Uint8Array | undefined
  /** Absent creates a contract. */
  readonly to?: Uint8Array | undefined
  readonly gas?: bigint | undefined
  readonly gasPrice?: bigint | undefined
  readonly maxFeePerGas?: bigint | undefined
  readonly maxPriorityFeePerGas?: bigint | undefined
  readonly value?: bigint | undefined
  readonly data?: Uint8Array | undefined
  readonly accessList?: readonly AccessListEntry[] | undefined
  readonly authorizationList?: readonly Authorization[] | undefined
}

/** The transaction of a call, with the sender's next nonce. */
export function transactionOf(call: CallObject, state: StateView, gasLimit: bigint): Transactable {
  const sender = call.from ?? new Uint8Array(20)
  const tip = call.gasPrice ?? call.maxPriorityFeePerGas ?? 0n
  return {
    type: 2,
    sender,
    nonce: state.account(sender)?.nonce ?? 0n,
    maxFeePerGas: call.gasPrice ?? call.maxFeePerGas ?? tip,
    maxPriorityFeePerGas: tip,
    gasLimit,
    to: call.to,
    value: call.value ?? 0n,
    data: call.data ?? EMPTY_BYTES,
    accessList: call.accessList ?? [],
    authorizationList: call.authorizationList ?? [],
  }
}

// The engine recognises an environment that it already has in memory, and most calls use the latest block's.
const freeEnvironments = new WeakMap<BlockHeader, BlockEnvironment>()

/**
 * The environment of a call. With a zero gas price the base fee is zero too, as in go-ethereum: otherwise such a call
 * could never run.
 */
export function environmentOf(
  rules: ChainRules,
  header: BlockHeader,
  state: StateView,
  { maxFeePerGas }: Transactable,
): BlockEnvironment {
  if (maxFeePerGas !== 0n) return blockEnvironment(rules, header, state)
  let environment = freeEnvironments.get(header)
  // A call may override the state so that it has another fork.
  if (environment?.hardfork !== hardforkAt(rules, state, header.height)) {
    environment = { ...blockEnvironment(rules, header, state), baseFeePerGas: 0n }
    freeEnvironments.set(header, environment)
  }
  return environment
}

function checkCall(
  environment: BlockEnvironment,
  transaction: Transactable,
  state: StateView,
): void {
  checkFees(transaction, environment)
  checkFunds(transaction, state)
  checkIntrinsicGas(transaction, environment)
}

/** Runs the checks that even a call must pass, then the call, only for its result. Throws InvalidTransactionError. */
export function runCall(
  engine: Engine,
  environment: BlockEnvironment,
  transaction: Transactable,
  state: StateView,
): TransitionResult {
  checkCall(environment, transaction, state)
  return tryTransaction(engine, transaction, environment, state)
}

/** Like `runCall`, but also returns everything that the call would change. Throws InvalidTransactionError. */
export function runCallForEffects(
  engine: Engine,
  rules: ChainRules,
  environment: BlockEnvironment,
  transaction: Transactable,
  state: StateView,
): TransitionResult {
  checkCall(environment, transaction, state)
  return runTransaction(engine, transaction, environment, state, transitionRules(rules))
}
