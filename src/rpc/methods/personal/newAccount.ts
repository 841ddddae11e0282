import { method } from '../../../wire/method.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { World } from '../../world.ts'
import { addressResult } from '../../encode/results.ts'
import { passphrase } from './schemas.ts'

export const personal_newAccount = method({
  summary:
    'Creates a key, stores it encrypted with a passphrase, and returns its address. The account is locked.',
  params: { passphrase },
  result: addressResult,
  handler: ({ accounts }: Pick<World, 'accounts'>, { passphrase }) =>
    orAccountFailure(accounts.create(passphrase)),
})
