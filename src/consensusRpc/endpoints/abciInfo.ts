import { encodeInfo } from '../encode/abci.ts'
import { cometMethod } from '../method.ts'
import type { CometServices } from '../world.ts'

export const abci_info = cometMethod({
  summary: 'Name, version and last height of the application.',
  args: {},
  cache: 'always',
  handler: ({ application }: Pick<CometServices, 'application'>) => ({
    response: encodeInfo(application.info()),
  }),
})
