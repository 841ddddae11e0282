import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { numberResult } from '../../encode/results.ts'

export const net_peerCount = method({
  // See D8.
  summary: 'Number of connected peers, as a JSON number; 0 with the embedded engine.',
  params: {},
  result: numberResult,
  handler: ({ network }: Pick<World, 'network'>) => network.peers().length,
})
