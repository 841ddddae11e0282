/** personal_sign as wallets of libraries use it: without a passphrase (D65). */
import { tryFromHex } from '../../../base/hex.ts'
import type { Method } from '../../../wire/method.ts'
import { method } from '../../../wire/method.ts'
import { address, dataResult } from '../../../wire/schema.ts'
import { message } from '../../parameters/message.ts'
import { requireSigner } from '../../sending/signer.ts'
import type { World } from '../../world.ts'
import { passphrase } from '../personal/schemas.ts'
import { signWithPassphrase } from '../personal/signWithPassphrase.ts'

type Needs = Pick<World, 'accounts'>

const signing: Method<Needs> = method({
  summary:
    'Signs a message as eth_sign does, for an account that eth_sign may use; with a passphrase it is private, as elsewhere.',
  params: { message, address, passphrase: passphrase.optional() },
  result: dataResult,
  handler: ({ accounts }: Needs, { message, address, passphrase }, { principal }) =>
    passphrase === undefined
      ? requireSigner(accounts, address, principal).signMessage(message)
      : signWithPassphrase({ accounts }, address, passphrase, (signer) =>
          signer.signMessage(message),
        ),
})

/** Two parameters, the second an account that the caller may sign with now. An empty passphrase is one. */
export const personalSign: Method<Needs> = {
  ...signing,
  isPublic({ accounts }, params, { principal }) {
    if (!Array.isArray(params) || params.length !== 2) return false
    const account: unknown = params[1]
    const bytes = typeof account === 'string' ? tryFromHex(account) : undefined
    return bytes?.length === 20 && typeof accounts.signer(bytes, principal) !== 'string'
  },
}
