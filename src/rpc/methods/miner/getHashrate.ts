import { method } from '../../../wire/method.ts'
import { numberResult } from '../../encode/results.ts'

export const miner_getHashrate = method({
  summary: 'Always the number 0: there is no mining.',
  params: {},
  result: numberResult,
  handler: () => 0,
})
