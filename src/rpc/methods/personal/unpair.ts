import { method } from '../../../wire/method.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { World } from '../../world.ts'
import { nothingResult } from '../../encode/results.ts'
import { passphrase, walletUrl } from './schemas.ts'

export const personal_unpair = method({
  // See D15.
  summary:
    'Deletes the pairing of a wallet with this node: its account is locked and no longer listed.',
  params: { url: walletUrl, password: passphrase },
  result: nothingResult,
  handler: async (
    { accounts, wallets }: Pick<World, 'accounts' | 'wallets'>,
    { url, password },
  ) => {
    accounts.lock(await orAccountFailure(wallets.unpair(url, password)))
  },
})
