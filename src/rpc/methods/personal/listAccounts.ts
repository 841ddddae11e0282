import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { addressesResult } from '../../encode/results.ts'

export const personal_listAccounts = method({
  summary: 'Addresses of the keys held by this node.',
  params: {},
  result: addressesResult,
  handler: ({ accounts }: Pick<World, 'accounts'>) => accounts.list(),
})
