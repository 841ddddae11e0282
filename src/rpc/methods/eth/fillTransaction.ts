import { withoutSignature } from '../../../chain/signTransaction.ts'
import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import { estimateNext } from '../../pending/atBlock.ts'
import { completeTransaction, type CompletionNeeds } from '../../sending/completeTransaction.ts'
import { signedTransactionResult } from '../../encode/signedTransaction.ts'

export const eth_fillTransaction = method({
  // See D10.
  summary: 'Fills in nonce, gas and fees of a transaction, for the caller to sign.',
  params: { transaction: callObject },
  result: signedTransactionResult,
  handler: async (world: CompletionNeeds, { transaction }) => {
    const from = transaction.from ?? new Uint8Array(20)
    const fields = callFields(transaction, world.chain.chainId)
    // Wallets take this for an estimate: a revert is the answer, where a transaction to send would get the default gas
    // (D10).
    const gas = fields.gas ?? (await estimateNext(world, { ...fields, from }))
    return withoutSignature(await completeTransaction(world, from, { ...fields, gas }), from)
  },
})
