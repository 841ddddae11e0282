import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'

export const eth_hashrate = method({
  summary: 'Always 0x0: blocks are decided by validators, not mined.',
  params: {},
  result: quantityResult,
  handler: () => 0,
})
