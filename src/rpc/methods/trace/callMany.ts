import { z } from 'zod'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { traceTypes } from './parts.ts'
import { replaysResult } from './shapes.ts'

/** Maximum number of calls in one request. */
const MAX_CALLS = 1000

export const trace_callMany = method({
  summary:
    'Executes calls one after another, each on the state left by the previous ones, and returns their traces and state changes.',
  params: {
    calls: z
      .array(z.tuple([callObject, traceTypes]))
      .meta({ description: 'pairs of a call and its trace types' }),
    block,
  },
  result: replaysResult,
  handler: ({ chain, executions }: Pick<World, 'chain' | 'executions'>, { calls, block }) => {
    if (calls.length > MAX_CALLS)
      throw new RpcError('limitExceeded', `too many calls: at most ${MAX_CALLS} in one request`)
    return executions.run({
      kind: 'replayCalls',
      calls: calls.map(([call, parts]) => ({ fields: callFields(call, chain.chainId), parts })),
      height: requireHeader(chain, block).height,
    })
  },
})
