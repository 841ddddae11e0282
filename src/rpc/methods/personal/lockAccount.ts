import { method } from '../../../wire/method.ts'
import { address, booleanResult } from '../../../wire/schema.ts'
import type { Node } from '../../world.ts'

export const personal_lockAccount = method({
  summary: 'Forgets the key of an unlocked account; true even when it was locked already (D43).',
  params: { address },
  result: booleanResult,
  handler: ({ accounts }: Pick<Node, 'accounts'>, { address }) => {
    accounts.lock(address)
    return true
  },
})
