import { method } from '../../wire/method.ts'
import { address, dataResult } from '../../wire/schema.ts'
import { message } from '../message.ts'
import type { Node } from '../node.ts'
import { requireSigner } from '../signer.ts'

export const eth_sign = method({
  summary: 'Signs a message, with the prefix of EIP-191 before it, by an unlocked account (D11).',
  params: { address, message },
  result: dataResult,
  handler: ({ accounts }: Pick<Node, 'accounts'>, { address, message }, { principal }) =>
    requireSigner(accounts, address, principal).signMessage(message),
})
