import { z } from 'zod'
import { list } from '../../../base/boundedSchema.ts'
import { BOUNDS } from '../../../base/bounds.ts'
import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { refusePending } from '../../pending/atBlock.ts'
import { traceTypes } from './parts.ts'
import { replaysResult } from './shapes.ts'

export const trace_callMany = method({
  summary:
    'Executes calls one after another, each on the state left by the previous ones, and returns their traces and state changes.',
  params: {
    calls: list(z.tuple([callObject, traceTypes]), BOUNDS.tracedCalls).meta({
      description: 'pairs of a call and its trace types',
    }),
    block,
  },
  result: replaysResult,
  handler: ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { calls, block }) => {
    refusePending(block)
    return executions.run({
      kind: 'replayCalls',
      calls: calls.map(([call, parts]) => ({ fields: callFields(call, chain.chainId), parts })),
      height: requireHeader(chain, block).height,
    })
  },
})
