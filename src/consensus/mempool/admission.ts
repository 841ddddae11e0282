/** Whether a transaction may enter the pool, with the messages of go-ethereum's pool, which clients match on (D12). */
import { equalBytes } from '../../base/bytes.ts'
import { toHex } from '../../base/hex.ts'
import {
  decodeSigned,
  TransactionDecodeError,
  withSender,
  type SignedTransaction,
  type Transaction,
} from '../../chain/transaction.ts'
import { isDelegation } from '../../evm/delegation.ts'
import { floorGas, gasCapOf, intrinsicGas, MAX_INIT_CODE_SIZE } from '../../evm/gas.ts'
import { includesFork, type Hardfork } from '../../evm/rules.ts'
import { EMPTY_CODE_HASH, type Account, type StateView } from '../../evm/types.ts'
import { PoolRejection } from '../pool.ts'
import type { PoolLimits } from './limits.ts'
import type { PooledTransaction, SenderQueue } from './senderQueue.ts'

const MAX_NONCE = 2n ** 64n - 1n

function rejectionOf(error: unknown): unknown {
  if (!(error instanceof TransactionDecodeError)) return error
  const isSignature = error.code === 'invalid-signature' || error.code === 'wrong-chain'
  return new PoolRejection(isSignature ? `invalid sender: ${error.message}` : error.message)
}

/** Decodes raw bytes; the sender is recovered later. Throws PoolRejection. */
export function decodeForPool(raw: Uint8Array, chainId: bigint): ReturnType<typeof decodeSigned> {
  let decoded: ReturnType<typeof decodeSigned>
  try {
    decoded = decodeSigned(raw, chainId)
  } catch (error) {
    throw rejectionOf(error)
  }
  if (decoded.transaction.chainId === undefined)
    throw new PoolRejection('only replay-protected (EIP-155) transactions allowed over RPC')
  return decoded
}

/** The transaction with its recovered sender. Throws PoolRejection when the signature is invalid. */
export function withSenderForPool(
  transaction: SignedTransaction,
  sender: Uint8Array | undefined,
): Transaction {
  try {
    return withSender(transaction, sender)
  } catch (error) {
    throw rejectionOf(error)
  }
}

/** Throws PoolRejection for oversized bytes. */
export function checkSize(raw: Uint8Array, limits: PoolLimits): void {
  const { maxTransactionBytes: limit } = limits
  if (raw.length > limit)
    throw new PoolRejection(`oversized data: transaction size ${raw.length}, limit ${limit}`)
}

function checkGas(
  transaction: Transaction,
  blockGasLimit: bigint,
  rules: { readonly hardfork: Hardfork },
): void {
  const { gasLimit, to, data } = transaction
  if (to === undefined && data.length > MAX_INIT_CODE_SIZE)
    throw new PoolRejection(
      `max initcode size exceeded: code size ${data.length}, limit ${MAX_INIT_CODE_SIZE}`,
    )
  const cap = gasCapOf(rules)
  if (cap !== undefined && gasLimit > cap)
    throw new PoolRejection(`transaction gas limit too high (cap: ${cap}, tx: ${gasLimit})`)
  if (gasLimit > blockGasLimit) throw new PoolRejection('exceeds block gas limit')
  const intrinsic = intrinsicGas(transaction)
  if (gasLimit < intrinsic)
    throw new PoolRejection(`intrinsic gas too low: gas ${gasLimit}, minimum needed ${intrinsic}`)
  const floor = floorGas(data, rules)
  if (gasLimit < floor)
    throw new PoolRejection(
      `insufficient gas for floor data gas cost: gas ${gasLimit}, minimum needed ${floor}`,
    )
}

/** Checks what needs no state, under the rules of the next block. Throws PoolRejection. */
export function checkFields(
  transaction: Transaction,
  limits: PoolLimits,
  blockGasLimit: bigint,
  rules: { readonly hardfork: Hardfork },
): void {
  const { maxFeePerGas, maxPriorityFeePerGas, nonce, type, to, authorizationList } = transaction
  if (maxPriorityFeePerGas > maxFeePerGas)
    throw new PoolRejection('max priority fee per gas higher than max fee per gas')
  if (nonce >= MAX_NONCE) throw new PoolRejection('nonce has max value')
  checkGas(transaction, blockGasLimit, rules)
  if (maxFeePerGas < limits.minGasPrice)
    throw new PoolRejection(
      `transaction underpriced: gas fee cap ${maxFeePerGas}, minimum needed ${limits.minGasPrice}`,
    )
  if (type !== 4) return
  if (!includesFork(rules, 'prague')) throw new PoolRejection('transaction type not supported')
  if (to === undefined)
    throw new PoolRejection('EIP-7702 transaction cannot be used to create contract')
  if (authorizationList.length === 0)
    throw new PoolRejection('set code tx must have at least one authorization tuple')
}

/** What the pool knows of base fees: the chain's lowest, and that of the next block. */
export type BaseFees = { readonly minBaseFee: bigint; nextBaseFee(): bigint }

/** Checks what a transaction would pay per gas in the next block, not only its cap. Throws PoolRejection. */
export function checkPrice(transaction: Transaction, limits: PoolLimits, chain: BaseFees): void {
  const { minGasPrice } = limits
  // With such a tip it always pays enough, so the next base fee need not be computed.
  if (transaction.maxPriorityFeePerGas + chain.minBaseFee >= minGasPrice) return
  const { maxFeePerGas, maxPriorityFeePerGas } = transaction
  const offered = chain.nextBaseFee() + maxPriorityFeePerGas
  const paid = offered < maxFeePerGas ? offered : maxFeePerGas
  if (paid < minGasPrice)
    throw new PoolRejection(
      `transaction underpriced: effective gas price ${paid}, minimum needed ${minGasPrice} (base fee plus tip)`,
    )
}

const NO_ACCOUNT: Account = { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }

/** An account; zeros when it does not exist. */
export function accountOf(state: StateView, address: Uint8Array): Account {
  return state.account(address) ?? NO_ACCOUNT
}

/** Checks the sender's nonce, balance and code, and its pending costs in its queue, if given. Throws PoolRejection. */
export function checkSender(
  { transaction, cost }: PooledTransaction,
  account: Account,
  state: StateView,
  queue?: SenderQueue,
): void {
  const { sender, nonce, s } = transaction
  if (nonce < account.nonce)
    throw new PoolRejection(`nonce too low: next nonce ${account.nonce}, tx nonce ${nonce}`)
  const { codeHash } = account
  // An unsigned transaction may come from a contract.
  if (s !== 0n && !equalBytes(codeHash, EMPTY_CODE_HASH) && !isDelegation(state.code(codeHash)))
    throw new PoolRejection(
      `sender not an eoa: address ${toHex(sender)}, codehash: ${toHex(codeHash)}`,
    )
  const { balance } = account
  const funds = () => `insufficient funds for gas * price + value: balance ${balance}`
  if (balance < cost)
    throw new PoolRejection(`${funds()}, tx cost ${cost}, overshot ${cost - balance}`)
  if (queue === undefined) return
  const spent = queue.pendingCost()
  const old = nonce < queue.pendingNonce() ? queue.find(nonce) : undefined
  const more = old === undefined ? cost : cost - old.cost
  if (balance < spent + more)
    throw new PoolRejection(
      `${funds()}, queued cost ${spent}, ${old ? 'tx bumped' : 'tx cost'} ${more}, overshot ${spent + more - balance}`,
    )
}

/** Checks that `next` raises both fee fields of `old` by the bump. Throws PoolRejection. */
export function checkReplacement(old: Transaction, next: Transaction, limits: PoolLimits): void {
  const factor = 100n + limits.priceBump
  const isRaised = (from: bigint, to: bigint) => to > from && to >= (from * factor) / 100n
  if (
    !isRaised(old.maxFeePerGas, next.maxFeePerGas) ||
    !isRaised(old.maxPriorityFeePerGas, next.maxPriorityFeePerGas)
  )
    throw new PoolRejection('replacement transaction underpriced')
}

/** Checks that a sender may have one more transaction, and one more after a nonce gap. Throws PoolRejection. */
export function checkPlace(
  queue: SenderQueue | undefined,
  nonce: bigint,
  willBePending: boolean,
  limits: PoolLimits,
): void {
  const pooled = queue?.entries.length ?? 0
  if (pooled >= limits.senderLimit)
    throw new PoolRejection(`account limit exceeded: pooled ${pooled} txs`)
  const queued = pooled - (queue?.pendingCount() ?? 0)
  if (!willBePending && queued >= limits.queueLimit)
    throw new PoolRejection(`account limit exceeded: ${queued} txs wait for a nonce below ${nonce}`)
}
