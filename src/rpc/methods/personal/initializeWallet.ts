import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { World } from '../../world.ts'
import { walletUrl } from './schemas.ts'

export const personal_initializeWallet = method({
  // See D15.
  summary: 'Creates a software wallet with a new key and returns the private key, this one time.',
  params: { url: walletUrl },
  result: dataResult,
  handler: ({ wallets }: Pick<World, 'wallets'>, { url }) =>
    orAccountFailure(wallets.initialize(url)),
})
