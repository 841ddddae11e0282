import { method } from '../../../wire/method.ts'
import { address, dataResult } from '../../../wire/schema.ts'
import { message } from '../../parameters/message.ts'
import type { Node } from '../../world.ts'
import { passphrase } from './schemas.ts'
import { signWithPassphrase } from './signWithPassphrase.ts'

export const personal_sign = method({
  summary:
    'Signs a message, with the prefix of EIP-191 before it, with a key under its passphrase (D11).',
  params: { message, address, passphrase },
  result: dataResult,
  handler: (world: Pick<Node, 'accounts'>, { message, address, passphrase }) =>
    signWithPassphrase(world, address, passphrase, (signer) => signer.signMessage(message)),
})
