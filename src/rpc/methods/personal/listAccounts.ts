import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { addressesResult } from '../../encode/results.ts'

export const personal_listAccounts = method({
  summary: 'Addresses whose keys this node holds.',
  params: {},
  result: addressesResult,
  handler: ({ accounts }: Pick<Node, 'accounts'>) => accounts.list(),
})
