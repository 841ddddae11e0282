/** Fills in what a caller omitted from a transaction to send (D10, D46; go-ethereum's defaults for fees and nonce). */
import type { TransactionType, UnsignedTransaction } from '../../chain/unsignedTransaction.ts'
import { RpcError } from '../../wire/errors.ts'
import { readInto } from '../../wire/goWords.ts'
import { address } from '../../wire/schema.ts'
import { callObject, type CallFields } from '../parameters/callObject.ts'
import { estimateNext } from '../pending/atBlock.ts'
import type { World } from '../world.ts'

/** A call object with the sender, which eth_sendTransaction and personal_sendTransaction require. */
export const sendObject = readInto(callObject.extend({ from: address }), 'ethapi.TransactionArgs')

/** Default gas when the estimate is not larger, or fails (D10). */
const DEFAULT_GAS = 90_000n

/** What completing a transaction needs of the node. */
export type CompletionNeeds = Pick<
  World,
  'chain' | 'pool' | 'pending' | 'estimatesAt' | 'calls' | 'fees' | 'limits'
>

type Fees = Pick<UnsignedTransaction, 'maxFeePerGas' | 'maxPriorityFeePerGas'>

function feesOf({ fees }: CompletionNeeds, fields: CallFields): Fees {
  const { gasPrice, maxFeePerGas, maxPriorityFeePerGas } = fields
  if (gasPrice !== undefined) {
    if (gasPrice === 0n) throw new RpcError('server', 'gasPrice must be non-zero after london fork')
    return { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice }
  }
  if (maxFeePerGas === 0n) throw new RpcError('server', 'maxFeePerGas must be non-zero')
  const tip = maxPriorityFeePerGas ?? fees.suggestedTip()
  const cap = maxFeePerGas ?? tip + 2n * fees.nextBaseFee()
  if (cap < tip)
    throw new RpcError('server', `maxFeePerGas (${cap}) < maxPriorityFeePerGas (${tip})`)
  return { maxFeePerGas: cap, maxPriorityFeePerGas: tip }
}

function typeOf({ gasPrice, accessList, authorizationList }: CallFields): TransactionType {
  if (authorizationList) return 4
  if (gasPrice === undefined) return 2
  return accessList ? 1 : 0
}

async function gasOf(
  world: CompletionNeeds,
  from: Uint8Array,
  fields: CallFields,
): Promise<bigint> {
  if (fields.gas !== undefined) return fields.gas
  try {
    const estimate = await estimateNext(world, { ...fields, from })
    return estimate > DEFAULT_GAS ? estimate : DEFAULT_GAS
  } catch (error) {
    if (error instanceof RpcError) return DEFAULT_GAS
    throw error
  }
}

function inEther(amount: bigint): string {
  const hundredths = amount / 10n ** 16n
  return `${hundredths / 100n}.${(hundredths % 100n).toString().padStart(2, '0')}`
}

function checkFee(fee: bigint, cap: bigint): void {
  if (cap === 0n || fee <= cap) return
  throw new RpcError(
    'server',
    `tx fee (${inEther(fee)} ether) exceeds the configured cap (${inEther(cap)} ether)`,
  )
}

/**
 * The transaction to sign. Fees default to type 2 with the suggested tip and twice the base fee, the nonce to the
 * pending one. Throws RpcError -32000 for a creation without code, impossible fees, and a fee above json-rpc.txfee-cap.
 */
export async function completeTransaction(
  world: CompletionNeeds,
  from: Uint8Array,
  fields: CallFields,
): Promise<UnsignedTransaction> {
  if (!fields.to && fields.data.length === 0)
    throw new RpcError('server', 'contract creation without any data provided')
  const fees = feesOf(world, fields)
  const gasLimit = await gasOf(world, from, fields)
  checkFee(gasLimit * fees.maxFeePerGas, world.limits.transactionFee)
  return {
    type: typeOf(fields),
    chainId: world.chain.chainId,
    nonce: fields.nonce ?? world.pool.pendingNonce(from),
    ...fees,
    gasLimit,
    to: fields.to,
    value: fields.value,
    data: fields.data,
    accessList: fields.accessList ?? [],
    authorizationList: fields.authorizationList ?? [],
  }
}
