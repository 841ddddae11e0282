import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { callFields } from '../../parameters/callObject.ts'
import {
  completeTransaction,
  sendObject,
  type CompletionNeeds,
} from '../../sending/completeTransaction.ts'
import { signedTransactionResult } from '../../encode/signedTransaction.ts'
import type { World } from '../../world.ts'
import { requireSigner } from '../../sending/signer.ts'

type Needs = CompletionNeeds & Pick<World, 'accounts'>

export const eth_signTransaction = method({
  summary:
    'Signs a transaction with an unlocked account without sending it; gas, fees and nonce are required.',
  params: { transaction: sendObject },
  result: signedTransactionResult,
  handler: async (world: Needs, { transaction }, { principal }) => {
    const fields = callFields(transaction, world.chain.chainId)
    if (fields.gas === undefined) throw new RpcError('server', 'gas not specified')
    if (fields.gasPrice === undefined && fields.maxFeePerGas === undefined)
      throw new RpcError('server', 'missing gasPrice or maxFeePerGas/maxPriorityFeePerGas')
    if (fields.nonce === undefined) throw new RpcError('server', 'nonce not specified')
    const signer = requireSigner(world.accounts, transaction.from, principal)
    return signer.signTransaction(await completeTransaction(world, transaction.from, fields))
  },
})
