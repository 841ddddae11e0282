import { method } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'

export const eth_mining = method({
  summary: 'Always false: blocks are decided by validators, not mined.',
  params: {},
  result: booleanResult,
  handler: () => false,
})
