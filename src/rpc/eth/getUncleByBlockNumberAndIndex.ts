import { method } from '../../wire/method.ts'
import { quantity } from '../../wire/schema.ts'
import { absentResult } from '../results.ts'
import { blockNumber } from '../selector.ts'

export const eth_getUncleByBlockNumberAndIndex = method({
  summary: 'Always null: blocks have no uncles.',
  params: { block: blockNumber, index: quantity },
  result: absentResult,
  handler: () => undefined,
})
