import { method } from '../../../wire/method.ts'
import { address, dataResult } from '../../../wire/schema.ts'
import { message } from '../../parameters/message.ts'
import type { World } from '../../world.ts'
import { requireSigner } from '../../sending/signer.ts'

export const eth_sign = method({
  // See D11.
  summary: 'Signs a message, prefixed as in EIP-191, with an unlocked account.',
  params: { address, message },
  result: dataResult,
  handler: ({ accounts }: Pick<World, 'accounts'>, { address, message }, { principal }) =>
    requireSigner(accounts, address, principal).signMessage(message),
})
