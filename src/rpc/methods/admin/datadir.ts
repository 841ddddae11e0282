import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { textResult } from '../../encode/results.ts'

export const admin_datadir = method({
  summary: 'The home folder of this node.',
  params: {},
  result: textResult,
  handler: ({ network }: Pick<Node, 'network'>) => network.dataFolder,
})
