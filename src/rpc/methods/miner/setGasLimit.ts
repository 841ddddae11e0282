import { method } from '../../../wire/method.ts'
import { booleanResult, quantity } from '../../../wire/schema.ts'

export const miner_setGasLimit = method({
  // See D18.
  summary: 'Unsupported: always returns false. The block gas limit is set in genesis.',
  params: { gasLimit: quantity },
  result: booleanResult,
  handler: () => false,
})
