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
import { acknowledge, enter } from '../../sending/submit.ts'
import { passphrase } from './schemas.ts'
import { signWithPassphrase } from './signWithPassphrase.ts'

type Needs = CompletionNeeds & Pick<World, 'accounts' | 'sends'>

export const personal_sendTransaction = method({
  summary:
    'Signs a transaction with a stored key, using its passphrase for this transaction only, and adds it to the pool.',
  params: { transaction: sendObject, passphrase },
  result: hashResult,
  handler: async (world: Needs, { transaction, passphrase }) => {
    const { from } = transaction
    const fields = callFields(transaction, world.chain.chainId)
    const sent = await world.sends.run(toHexDigits(from), async () => {
      const complete = await completeTransaction(world, from, fields)
      const { raw } = await signWithPassphrase(world, from, passphrase, (signer) =>
        signer.signTransaction(complete),
      )
      return enter(world.pool, raw)
    })
    return acknowledge(world.pool, sent)
  },
})
