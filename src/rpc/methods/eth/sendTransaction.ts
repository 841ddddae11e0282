import { toHexDigits } from '../../../base/hex.ts'
import { method } from '../../../wire/method.ts'
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

export const eth_sendTransaction = method({
  summary: 'Signs a transaction with an unlocked account and adds it to the pool.',
  params: { transaction: sendObject },
  result: hashResult,
  handler: async (world: Needs, { transaction }, { principal }) => {
    const { from } = transaction
    const signer = requireSigner(world.accounts, from, principal)
    const fields = callFields(transaction, world.chain.chainId)
    // One send at a time per account: the next one must see this one in the pool, or both would take the same nonce.
    const sent = await world.sends.run(toHexDigits(from), async () => {
      const complete = await completeTransaction(world, from, fields)
      return enter(world.pool, signer.signTransaction(complete).raw)
    })
    return acknowledge(world.pool, sent)
  },
})
