import { method } from '../../../wire/method.ts'
import { callFields } from '../../parameters/callObject.ts'
import {
  completeTransaction,
  sendObject,
  type CompletionNeeds,
} from '../../sending/completeTransaction.ts'
import { signedTransactionResult } from '../../encode/signedTransaction.ts'
import type { World } from '../../world.ts'
import { passphrase } from './schemas.ts'
import { signWithPassphrase } from './signWithPassphrase.ts'

type Needs = CompletionNeeds & Pick<World, 'accounts'>

export const personal_signTransaction = method({
  summary: 'Signs a transaction with a stored key and its passphrase, without sending it.',
  params: { transaction: sendObject, passphrase },
  result: signedTransactionResult,
  handler: async (world: Needs, { transaction, passphrase }) => {
    const fields = callFields(transaction, world.chain.chainId)
    const complete = await completeTransaction(world, transaction.from, fields)
    return signWithPassphrase(world, transaction.from, passphrase, (signer) =>
      signer.signTransaction(complete),
    )
  },
})
