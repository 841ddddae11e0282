import { z } from 'zod'
import { method } from '../../wire/method.ts'

export const admin_peers = method({
  summary: 'Peers of this node: none of the Ethereum protocol, which it does not speak.',
  params: {},
  result: { schema: z.tuple([]), encode: () => [] },
  handler: () => [],
})
