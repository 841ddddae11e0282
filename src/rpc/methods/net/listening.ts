import { method } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'

export const net_listening = method({
  // See D49.
  summary: 'Whether the node is listening for connections: always true.',
  params: {},
  result: booleanResult,
  handler: () => true,
})
