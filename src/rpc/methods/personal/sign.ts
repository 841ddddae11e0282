import { method } from '../../../wire/method.ts'
import { address, dataResult } from '../../../wire/schema.ts'
import { message } from '../../parameters/message.ts'
import type { World } from '../../world.ts'
import { passphrase } from './schemas.ts'
import { signWithPassphrase } from './signWithPassphrase.ts'

export const personal_sign = method({
  // See D11.
  summary: 'Signs a message, prefixed as in EIP-191, with a stored key and its passphrase.',
  params: { message, address, passphrase },
  result: dataResult,
  handler: (world: Pick<World, 'accounts'>, { message, address, passphrase }) =>
    signWithPassphrase(world, address, passphrase, (signer) => signer.signMessage(message)),
})
