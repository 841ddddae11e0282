import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import { orAccountFailure } from '../../sending/accountErrors.ts'
import type { Node } from '../../world.ts'
import { walletUrl } from './schemas.ts'

export const personal_initializeWallet = method({
  summary: 'Makes a software wallet with a new key, and gives the private key, this once (D15).',
  params: { url: walletUrl },
  result: dataResult,
  handler: ({ wallets }: Pick<Node, 'wallets'>, { url }) =>
    orAccountFailure(wallets.initialize(url)),
})
