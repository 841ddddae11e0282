/** The state transition of one transaction around the engine: buy gas, authorize, run, refund, pay (Yellow Paper, section 6). */
import { addressDigits } from '../base/addressDigits.ts'
import { equalBytes } from '../base/bytes.ts'
import { applyAuthorizations } from './delegation.ts'
import { effectiveGasPrice } from './fees.ts'
import { GAS_PER_BLOB, floorGas, intrinsicGas, mostRefund } from './gas.ts'
import { overlay, type Overlay } from './overlay.ts'
import type { TransitionRules } from './rules.ts'
import type { Transactable } from './transactable.ts'
import {
  EMPTY_CODE_HASH,
  type Account,
  type BlockEnvironment,
  type Effects,
  type Engine,
  type Outcome,
  type OutcomeScope,
  type StateView,
} from './types.ts'
import { checkTransaction } from './validity.ts'

/** Result of a transaction. `effects` include fees and nonce even if it failed. */
export type TransitionResult = Pick<
  Outcome,
  'status' | 'error' | 'output' | 'logs' | 'createdAddress'
> & {
  /** After refund and floor: the gas that is paid for. */
  readonly gasUsed: bigint
  /** The refund that was granted. */
  readonly gasRefund: bigint
  readonly effectiveGasPrice: bigint
  readonly effects: Effects
}

const NO_ACCOUNT: Account = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

function isEmpty({ nonce, balance, codeHash }: Account): boolean {
  return nonce === 0n && balance === 0n && equalBytes(codeHash, EMPTY_CODE_HASH)
}

/** Adds to a balance; an account that is empty afterwards does not exist (EIP-161). */
function credit(world: Overlay, address: Uint8Array, amount: bigint): void {
  const account = world.account(address)
  if (account === undefined && amount === 0n) return
  const next = { ...(account ?? NO_ACCOUNT), balance: (account?.balance ?? 0n) + amount }
  world.setAccount(address, isEmpty(next) ? undefined : next)
}

function buyGas(world: Overlay, transaction: Transactable, cost: bigint): void {
  const account = world.account(transaction.sender) ?? NO_ACCOUNT
  const paid = { ...account, nonce: account.nonce + 1n, balance: account.balance - cost }
  world.setAccount(transaction.sender, paid)
}

/** Whether the message destroyed the account: destruction comes after the fees, which are then lost with it. */
function isDestroyed(effects: Effects, address: Uint8Array): boolean {
  const effect = effects.get(addressDigits(address))
  return effect !== undefined && effect.account === undefined && effect.storageCleared
}

/** A transaction that has run, before its fees are settled. */
type Ran = {
  readonly world: Overlay
  readonly outcome: Outcome
  readonly gasPrice: bigint
  readonly gasUsed: bigint
  readonly gasRefund: bigint
}

function run(
  engine: Engine,
  transaction: Transactable,
  block: BlockEnvironment,
  state: StateView,
  scope: OutcomeScope,
): Ran {
  const { sender, to, value, data, gasLimit, nonce, accessList, blobs } = transaction
  const gasPrice = effectiveGasPrice(transaction, block.baseFeePerGas)
  const blobGas = BigInt(blobs?.versionedHashes.length ?? 0) * GAS_PER_BLOB
  const intrinsic = intrinsicGas(transaction, block)
  const world = overlay(state)
  buyGas(world, transaction, gasLimit * gasPrice + blobGas * block.blobBaseFee)
  const authorized = applyAuthorizations(transaction.authorizationList, block.chainId, world)
  const outcome = engine.execute(
    {
      caller: sender,
      to,
      value,
      data,
      gasLimit: gasLimit - intrinsic,
      gasPrice,
      origin: sender,
      nonce,
      accessList:
        authorized.authorities.length === 0
          ? accessList
          : [
              ...accessList,
              ...authorized.authorities.map((address) => ({ address, storageKeys: [] })),
            ],
      ...(blobs !== undefined && { blobVersionedHashes: blobs.versionedHashes }),
    },
    block,
    world,
    scope,
  )
  const spent = intrinsic + outcome.gasUsed
  const refundable = outcome.gasRefund + authorized.gasRefund
  const most = mostRefund(spent, block)
  const gasRefund = refundable < most ? refundable : most
  const floor = floorGas(data, block)
  const gasUsed = spent - gasRefund > floor ? spent - gasRefund : floor
  return { world, outcome, gasPrice, gasUsed, gasRefund }
}

function resultOf(
  { outcome, gasPrice, gasUsed, gasRefund }: Ran,
  effects: Effects,
): TransitionResult {
  return {
    status: outcome.status,
    error: outcome.error,
    output: outcome.output,
    logs: outcome.logs,
    createdAddress: outcome.createdAddress,
    gasUsed,
    gasRefund,
    effectiveGasPrice: gasPrice,
    effects,
  }
}

/** Runs a transaction that has already been checked. The sender's balance covers value and gas at the effective price. */
export function runTransaction(
  engine: Engine,
  transaction: Transactable,
  block: BlockEnvironment,
  state: StateView,
  rules: TransitionRules,
): TransitionResult {
  const ran = run(engine, transaction, block, state, 'everything')
  const { world, outcome, gasPrice, gasUsed } = ran
  world.apply(outcome.effects)
  credit(world, transaction.sender, (transaction.gasLimit - gasUsed) * gasPrice)
  const reward = rules.baseFeeSink === 'coinbase' ? gasPrice : gasPrice - block.baseFeePerGas
  if (!isDestroyed(outcome.effects, block.coinbase)) credit(world, block.coinbase, gasUsed * reward)
  return resultOf(ran, world.effects())
}

const NO_EFFECTS: Effects = new Map()

/** Like `runTransaction`, for one that changes nothing: its result has no logs and no effects. */
export function tryTransaction(
  engine: Engine,
  transaction: Transactable,
  block: BlockEnvironment,
  state: StateView,
): TransitionResult {
  return resultOf(run(engine, transaction, block, state, 'result'), NO_EFFECTS)
}

/**
 * Checks a transaction as required in a block and runs it. Throws InvalidTransactionError without having changed
 * anything.
 */
export function applyTransaction(
  engine: Engine,
  transaction: Transactable,
  block: BlockEnvironment,
  state: StateView,
  rules: TransitionRules,
): TransitionResult {
  checkTransaction(transaction, block, state)
  return runTransaction(engine, transaction, block, state, rules)
}
