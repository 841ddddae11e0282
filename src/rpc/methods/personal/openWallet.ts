import { method } from '../../../wire/method.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { Node } from '../../world.ts'
import { nothingResult } from '../../encode/results.ts'
import { passphrase, walletUrl } from './schemas.ts'

export const personal_openWallet = method({
  summary: 'Pairs a wallet again, or gives a wallet that has none its pairing password (D15).',
  params: { url: walletUrl, password: passphrase },
  result: nothingResult,
  handler: ({ wallets }: Pick<Node, 'wallets'>, { url, password }) =>
    orAccountFailure(wallets.open(url, password)),
})
