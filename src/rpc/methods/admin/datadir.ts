import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { textResult } from '../../encode/results.ts'

export const admin_datadir = method({
  summary: 'Home folder of this node.',
  params: {},
  result: textResult,
  handler: ({ network }: Pick<World, 'network'>) => network.dataFolder,
})
