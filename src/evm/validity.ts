/**
 * Whether a transaction may enter a block, in the order and wording of go-ethereum's state transition (D12). The pool
 * runs the parts separately: fields once on arrival, fees and sender against each new block.
 */
import { equalBytes } from '../base/bytes.ts'
import { toChecksumAddress } from '../base/checksumAddress.ts'
import { isDelegation } from './delegation.ts'
import { GAS_PER_BLOB, MAX_INIT_CODE_SIZE, floorGas, gasCapOf, intrinsicGas } from './gas.ts'
import { InvalidTransactionError } from './invalidTransaction.ts'
import { includesFork, type Hardfork } from './rules.ts'
import type { Transactable } from './transactable.ts'
import { EMPTY_CODE_HASH, type BlockEnvironment, type StateView } from './types.ts'

type Rules = { readonly hardfork: Hardfork }

const MAX_NONCE = 2n ** 64n - 1n
const MAX_UINT256 = 2n ** 256n - 1n

/** EIP-4844, 7691, 7594: maximum number of blobs of a transaction. */
const MAX_BLOBS: Readonly<Record<Hardfork, number>> = {
  berlin: 0,
  london: 0,
  paris: 0,
  shanghai: 0,
  cancun: 6,
  prague: 9,
  osaka: 6,
}

/** The fork that introduced a transaction type: EIP-1559, 4844, 7702. Older types are known everywhere. */
const TYPE_SINCE: Readonly<Record<number, Hardfork>> = { 2: 'london', 3: 'cancun', 4: 'prague' }

/** Maximum cost of a transaction: gas at the fee cap, blobs at theirs, and the value. */
export function maxCost(transaction: Transactable): bigint {
  const { gasLimit, maxFeePerGas, value, blobs } = transaction
  const blobCost =
    blobs === undefined
      ? 0n
      : BigInt(blobs.versionedHashes.length) * GAS_PER_BLOB * blobs.maxFeePerBlobGas
  return gasLimit * maxFeePerGas + blobCost + value
}

function checkType({ type }: Transactable, rules: Rules): void {
  if (includesFork(rules, TYPE_SINCE[type] ?? 'berlin')) return
  throw new InvalidTransactionError('type-not-supported', 'transaction type not supported')
}

function checkBlobs(transaction: Transactable, rules: Rules): void {
  const { blobs, to } = transaction
  if (blobs === undefined) return
  const count = blobs.versionedHashes.length
  if (to === undefined)
    throw new InvalidTransactionError('invalid-blobs', 'blob transaction of type create')
  if (count === 0)
    throw new InvalidTransactionError('invalid-blobs', 'blob transaction missing blob hashes')
  const max = MAX_BLOBS[rules.hardfork]
  if (count > max)
    throw new InvalidTransactionError(
      'invalid-blobs',
      `blob transaction has too many blobs (have=${count}, max=${max})`,
    )
  blobs.versionedHashes.forEach((hash, index) => {
    if (hash[0] !== 1)
      throw new InvalidTransactionError('invalid-blobs', `blob ${index} has invalid hash version`)
  })
}

function checkSetCode(transaction: Transactable): void {
  if (transaction.type !== 4) return
  if (transaction.to === undefined)
    throw new InvalidTransactionError(
      'set-code-creation',
      `EIP-7702 transaction cannot be used to create contract (sender ${toChecksumAddress(transaction.sender)})`,
    )
  if (transaction.authorizationList.length === 0)
    throw new InvalidTransactionError(
      'empty-authorization-list',
      `EIP-7702 transaction with empty auth list (sender ${toChecksumAddress(transaction.sender)})`,
    )
}

/** Checks gas against the cost of the fields before the first opcode. Throws InvalidTransactionError. */
export function checkIntrinsicGas(transaction: Transactable, rules: Rules): void {
  const { gasLimit, data, to } = transaction
  const intrinsic = intrinsicGas(transaction, rules)
  if (gasLimit < intrinsic)
    throw new InvalidTransactionError(
      'intrinsic-gas',
      `intrinsic gas too low: have ${gasLimit}, want ${intrinsic}`,
    )
  const floor = floorGas(data, rules)
  if (gasLimit < floor)
    throw new InvalidTransactionError(
      'floor-data-gas',
      `insufficient gas for floor data gas cost: have ${gasLimit}, want ${floor}`,
    )
  if (to === undefined && data.length > MAX_INIT_CODE_SIZE && includesFork(rules, 'shanghai'))
    throw new InvalidTransactionError(
      'init-code-too-large',
      `max initcode size exceeded: code size ${data.length} limit ${MAX_INIT_CODE_SIZE}`,
    )
}

/** Checks what needs neither state nor block. Throws InvalidTransactionError. */
export function checkFields(transaction: Transactable, rules: Rules): void {
  const { nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = transaction
  // The checksummed address is computed only where it is needed: it takes a hash.
  const sender = () => toChecksumAddress(transaction.sender)
  if (nonce >= MAX_NONCE)
    throw new InvalidTransactionError(
      'nonce-max',
      `nonce has max value: address ${sender()}, nonce: ${nonce}`,
    )
  const cap = gasCapOf(rules)
  if (cap !== undefined && gasLimit > cap)
    throw new InvalidTransactionError(
      'gas-limit-too-high',
      `transaction gas limit too high (cap: ${cap}, tx: ${gasLimit})`,
    )
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw new InvalidTransactionError(
      'tip-above-fee-cap',
      `max priority fee per gas higher than max fee per gas: address ${sender()}, maxPriorityFeePerGas: ${maxPriorityFeePerGas}, maxFeePerGas: ${maxFeePerGas}`,
    )
  checkType(transaction, rules)
  checkBlobs(transaction, rules)
  checkSetCode(transaction)
  checkIntrinsicGas(transaction, rules)
}

/** Checks the fee caps against a block. Throws InvalidTransactionError. */
export function checkFees(
  transaction: Transactable,
  block: Pick<BlockEnvironment, 'baseFeePerGas' | 'blobBaseFee'>,
): void {
  const { maxFeePerGas, blobs } = transaction
  if (maxFeePerGas < block.baseFeePerGas)
    throw new InvalidTransactionError(
      'fee-cap-too-low',
      `max fee per gas less than block base fee: address ${toChecksumAddress(transaction.sender)}, maxFeePerGas: ${maxFeePerGas}, baseFee: ${block.baseFeePerGas}`,
    )
  if (blobs !== undefined && blobs.maxFeePerBlobGas < block.blobBaseFee)
    throw new InvalidTransactionError(
      'blob-fee-cap-too-low',
      `max fee per blob gas less than block blob gas fee: address ${toChecksumAddress(transaction.sender)} blobGasFeeCap: ${blobs.maxFeePerBlobGas}, blobBaseFee: ${block.blobBaseFee}`,
    )
}

/** Checks the nonce against the sender's account. Throws InvalidTransactionError. */
export function checkNonce(transaction: Transactable, state: StateView): void {
  const expected = state.account(transaction.sender)?.nonce ?? 0n
  if (transaction.nonce === expected) return
  const [code, word] =
    transaction.nonce < expected
      ? (['nonce-too-low', 'nonce too low'] as const)
      : (['nonce-too-high', 'nonce too high'] as const)
  throw new InvalidTransactionError(
    code,
    `${word}: address ${toChecksumAddress(transaction.sender)}, tx: ${transaction.nonce} state: ${expected}`,
  )
}

/**
 * Checks that the sender has no code but an EIP-7702 delegation (EIP-3607), unless it is unsigned. Throws
 * InvalidTransactionError.
 */
export function checkSenderCode({ sender, s }: Transactable, state: StateView): void {
  // An unsigned transaction may come from a contract.
  if (s === 0n) return
  const account = state.account(sender)
  if (account === undefined || equalBytes(account.codeHash, EMPTY_CODE_HASH)) return
  const code = state.code(account.codeHash)
  if (isDelegation(code)) return
  throw new InvalidTransactionError(
    'sender-not-eoa',
    `sender not an eoa: address ${toChecksumAddress(sender)}, len(code): ${code.length}`,
  )
}

/** Checks that the sender can pay for everything at its caps. Throws InvalidTransactionError. */
export function checkFunds(transaction: Transactable, state: StateView): void {
  const balance = state.account(transaction.sender)?.balance ?? 0n
  const cost = maxCost(transaction)
  const address = () => toChecksumAddress(transaction.sender)
  if (cost > MAX_UINT256)
    throw new InvalidTransactionError(
      'insufficient-funds',
      `insufficient funds for gas * price + value: address ${address()} required balance exceeds 256 bits`,
    )
  if (balance < cost)
    throw new InvalidTransactionError(
      'insufficient-funds',
      `insufficient funds for gas * price + value: address ${address()} have ${balance} want ${cost}`,
    )
}

/** All checks, as required in a block. Throws InvalidTransactionError. */
export function checkTransaction(
  transaction: Transactable,
  block: BlockEnvironment,
  state: StateView,
): void {
  checkNonce(transaction, state)
  checkFields(transaction, block)
  checkSenderCode(transaction, state)
  checkFees(transaction, block)
  checkFunds(transaction, state)
}
