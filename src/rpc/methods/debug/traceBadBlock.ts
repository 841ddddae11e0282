import { toHex } from '../../../base/hex.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { traceConfig } from '../../parameters/traceConfig.ts'
import { blockTracesResult } from './blockTraces.ts'

export const debug_traceBadBlock = method({
  summary: 'Finds none: a block that this node rejects is never decided, and is not kept.',
  params: { blockHash: hash, config: traceConfig },
  result: blockTracesResult,
  handler: (_: unknown, { blockHash }): never => {
    throw new RpcError('server', `bad block ${toHex(blockHash)} not found`)
  },
})
