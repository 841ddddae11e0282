import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { textResult } from '../../encode/results.ts'

export const web3_clientVersion = method({
  summary: 'Name and version of this program, its platform and its toolchain.',
  params: {},
  result: textResult,
  handler: ({ network }: Pick<World, 'network'>) => network.clientVersion,
})
