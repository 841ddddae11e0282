import { method } from '../../../wire/method.ts'
import { address, dataResult } from '../../../wire/schema.ts'
import { message } from '../../parameters/message.ts'
import type { Node } from '../../world.ts'
import { requireSigner } from '../../sending/signer.ts'

export const eth_sign = method({
  summary: 'Signs a message, with the prefix of EIP-191 before it, by an unlocked account (D11).',
  params: { address, message },
  result: dataResult,
  handler: ({ accounts }: Pick<Node, 'accounts'>, { address, message }, { principal }) =>
    requireSigner(accounts, address, principal).signMessage(message),
})
