import { withoutSignature } from '../../../chain/signTransaction.ts'
import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import { completeTransaction } from '../../sending/completeTransaction.ts'
import { signedTransactionResult } from '../../encode/signedTransaction.ts'
import type { Node } from '../../world.ts'

type World = Pick<Node, 'chain' | 'pool' | 'calls' | 'fees' | 'limits'>

export const eth_fillTransaction = method({
  summary: 'Completes a transaction with nonce, gas and fees, for the caller to sign (D10).',
  params: { transaction: callObject },
  result: signedTransactionResult,
  handler: async (world: World, { transaction }) => {
    const from = transaction.from ?? new Uint8Array(20)
    const fields = callFields(transaction, world.chain.chainId)
    // Wallets take this for an estimate: a revert is an answer, where a transaction to send would get a default (D10).
    const gas =
      fields.gas ?? (await world.calls.estimate({ ...fields, from }, world.chain.latestHeight()))
    return withoutSignature(await completeTransaction(world, from, { ...fields, gas }), from)
  },
})
