import { method } from '../../../wire/method.ts'
import { index } from '../../../wire/schema.ts'
import { absentResult } from '../../encode/results.ts'
import { blockNumber } from '../../parameters/selector.ts'

export const eth_getUncleByBlockNumberAndIndex = method({
  summary: 'Always null: blocks have no uncles.',
  params: { block: blockNumber, index },
  result: absentResult,
  handler: () => undefined,
})
