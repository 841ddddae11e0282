import { method } from '../../../wire/method.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { Node } from '../../world.ts'
import { addressResult } from '../../encode/results.ts'
import { passphrase } from './schemas.ts'

export const personal_newAccount = method({
  summary:
    'Makes a key, stores it encrypted under a passphrase, and gives its address. The account is locked.',
  params: { passphrase },
  result: addressResult,
  handler: ({ accounts }: Pick<Node, 'accounts'>, { passphrase }) =>
    orAccountFailure(accounts.create(passphrase)),
})
