import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { numberResult } from '../../encode/results.ts'

export const net_peerCount = method({
  summary: 'Number of connected peers, as a JSON number (D8); 0 with the embedded engine.',
  params: {},
  result: numberResult,
  handler: ({ network }: Pick<Node, 'network'>) => network.peers().length,
})
