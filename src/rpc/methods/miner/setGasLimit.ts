import { method } from '../../../wire/method.ts'
import { booleanResult, quantity } from '../../../wire/schema.ts'

export const miner_setGasLimit = method({
  summary: 'Unsupported: always false. The gas limit of blocks is a genesis value (D18).',
  params: { gasLimit: quantity },
  result: booleanResult,
  handler: () => false,
})
