import { method } from '../../../wire/method.ts'
import { address, booleanResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'

export const personal_lockAccount = method({
  // See D43.
  summary:
    'Removes the key of an unlocked account from memory; true even if it was already locked.',
  params: { address },
  result: booleanResult,
  handler: ({ accounts }: Pick<World, 'accounts'>, { address }) => {
    accounts.lock(address)
    return true
  },
})
