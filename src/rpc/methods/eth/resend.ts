import { equalBytes } from '../../../base/bytes.ts'
import { toHex, toHexDigits } from '../../../base/hex.ts'
import type { UnsignedTransaction } from '../../../chain/unsignedTransaction.ts'
import { withoutSignature } from '../../../chain/signTransaction.ts'
import type { Transaction } from '../../../chain/transaction.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { quantity } from '../../../wire/schema.ts'
import { callFields } from '../../parameters/callObject.ts'
import {
  completeTransaction,
  sendObject,
  type CompletionNeeds,
} from '../../sending/completeTransaction.ts'
import type { World } from '../../world.ts'
import { hashResult } from '../../encode/results.ts'
import { requireSigner } from '../../sending/signer.ts'
import { acknowledge, enter } from '../../sending/submit.ts'

type Needs = CompletionNeeds & Pick<World, 'accounts' | 'sends'>

function isSame(a: Transaction, b: UnsignedTransaction): boolean {
  const isSameTarget = a.to && b.to ? equalBytes(a.to, b.to) : a.to === b.to
  return a.nonce === b.nonce && a.value === b.value && isSameTarget && equalBytes(a.data, b.data)
}

/** Throws RpcError -32000 when the pool has no such transaction of the sender. */
function requirePending({ pool }: Needs, from: Uint8Array, wanted: UnsignedTransaction): void {
  const sender = toHexDigits(from)
  const candidates = [...(pool.pending().get(sender) ?? []), ...(pool.queued().get(sender) ?? [])]
  if (candidates.some((transaction) => isSame(transaction, wanted))) return
  const { hash } = withoutSignature(wanted, from)
  throw new RpcError('server', `transaction ${toHex(hash)} not found`)
}

export const eth_resend = method({
  summary:
    "Replaces a pooled transaction of one of this node's accounts with the same one at another gas price or gas limit.",
  params: {
    transaction: sendObject,
    gasPrice: quantity.nullish(),
    gasLimit: quantity.nullish(),
  },
  result: hashResult,
  handler: async (world: Needs, { transaction, gasPrice, gasLimit }, { principal }) => {
    const { from } = transaction
    const fields = callFields(transaction, world.chain.chainId)
    if (fields.nonce === undefined)
      throw new RpcError('server', 'missing transaction nonce in transaction spec')
    const signer = requireSigner(world.accounts, from, principal)
    const changed = {
      ...fields,
      ...(gasLimit != null && { gas: gasLimit }),
      ...(gasPrice != null &&
        (fields.maxFeePerGas === undefined
          ? { gasPrice }
          : { maxFeePerGas: gasPrice, maxPriorityFeePerGas: gasPrice })),
    }
    const sent = await world.sends.run(toHexDigits(from), async () => {
      const complete = await completeTransaction(world, from, changed)
      requirePending(world, from, complete)
      return enter(world.pool, signer.signTransaction(complete).raw)
    })
    return acknowledge(world.pool, sent)
  },
})
