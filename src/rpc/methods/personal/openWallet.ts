import { method } from '../../../wire/method.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { World } from '../../world.ts'
import { nothingResult } from '../../encode/results.ts'
import { passphrase, walletUrl } from './schemas.ts'

export const personal_openWallet = method({
  // See D15.
  summary: 'Pairs a wallet again, or sets the pairing password of a wallet that has none.',
  params: { url: walletUrl, password: passphrase },
  result: nothingResult,
  handler: ({ wallets }: Pick<World, 'wallets'>, { url, password }) =>
    orAccountFailure(wallets.open(url, password)),
})
