import {
  TransactionDecodeError,
  decodeTransaction,
  type Transaction,
} from '../../../chain/transaction.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { data } from '../../../wire/schema.ts'
import type { CallFields } from '../../parameters/callObject.ts'
import type { World } from '../../world.ts'
import { traceTypes } from './parts.ts'
import { replayResult } from './shapes.ts'

/** The call that a signed transaction is. */
function callOf(raw: Uint8Array, chainId: bigint): CallFields {
  let transaction: Transaction
  try {
    transaction = decodeTransaction(raw, chainId)
  } catch (error) {
    if (error instanceof TransactionDecodeError) throw new RpcError('server', error.message)
    throw error
  }
  const { sender, gasLimit, accessList, authorizationList } = transaction
  return {
    from: sender,
    to: transaction.to,
    gas: gasLimit,
    gasPrice: undefined,
    maxFeePerGas: transaction.maxFeePerGas,
    maxPriorityFeePerGas: transaction.maxPriorityFeePerGas,
    value: transaction.value,
    data: transaction.data,
    nonce: transaction.nonce,
    chainId: undefined,
    accessList,
    authorizationList: authorizationList.length > 0 ? authorizationList : undefined,
  }
}

export const trace_rawTransaction = method({
  summary:
    'Executes a signed transaction (EIP-2718 bytes) on the latest state, without sending it, and returns its traces and state changes.',
  params: { transaction: data, types: traceTypes },
  result: replayResult,
  handler: ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { transaction, types }) =>
    executions.run({
      kind: 'replayCall',
      fields: callOf(transaction, chain.chainId),
      height: chain.latestHeight(),
      parts: types,
    }),
})
