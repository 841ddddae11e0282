import { method } from '../../../wire/method.ts'
import { nothingResult } from '../../encode/results.ts'

export const miner_stop = method({
  summary: 'Does nothing.',
  params: {},
  result: nothingResult,
  handler: () => undefined,
})
