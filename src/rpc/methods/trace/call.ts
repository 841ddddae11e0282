import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { refusePending } from '../../pending/atBlock.ts'
import { traceTypes } from './parts.ts'
import { replayResult } from './shapes.ts'

export const trace_call = method({
  summary:
    'Executes a call on the state of a block and returns its traces and the state changes it would make.',
  params: { call: callObject, types: traceTypes, block },
  result: replayResult,
  handler: ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { call, types, block }) => {
    refusePending(block)
    return executions.run({
      kind: 'replayCall',
      fields: callFields(call, chain.chainId),
      height: requireHeader(chain, block).height,
      parts: types,
    })
  },
})
