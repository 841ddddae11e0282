import { method } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'

export const net_listening = method({
  summary: 'Whether the node listens for connections: always true (D49).',
  params: {},
  result: booleanResult,
  handler: () => true,
})
