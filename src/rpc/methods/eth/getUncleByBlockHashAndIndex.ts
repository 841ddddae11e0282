import { method } from '../../../wire/method.ts'
import { hash, index } from '../../../wire/schema.ts'
import { absentResult } from '../../encode/results.ts'

export const eth_getUncleByBlockHashAndIndex = method({
  summary: 'Always null: blocks have no uncles.',
  params: { blockHash: hash, index },
  result: absentResult,
  handler: () => undefined,
})
