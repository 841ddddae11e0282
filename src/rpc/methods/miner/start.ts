import { z } from 'zod'
import { oneOfForms } from '../../../base/boundedSchema.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'

export const miner_start = method({
  // See D12.
  summary: 'Unsupported: always returns an error.',
  params: {
    threads: oneOfForms(() => [], z.unknown().meta({ description: 'threads (QUANTITY), ignored' })),
  },
  result: booleanResult,
  handler: () => {
    throw new RpcError('server', 'unsupported rpc function: miner_start')
  },
})
