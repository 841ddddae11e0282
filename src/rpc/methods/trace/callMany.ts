import { z } from 'zod'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { Node } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { traceTypes } from './parts.ts'
import { replaysResult } from './shapes.ts'

/** Most calls of one request. */
const MAX_CALLS = 1000

export const trace_callMany = method({
  summary:
    'Runs calls one after the other, each on what the ones before left, and shows their traces and changes.',
  params: {
    calls: z
      .array(z.tuple([callObject, traceTypes]))
      .meta({ description: 'pairs of a call and the parts that are wanted of it' }),
    block,
  },
  result: replaysResult,
  handler: ({ chain, executions }: Pick<Node, 'chain' | 'executions'>, { calls, block }) => {
    if (calls.length > MAX_CALLS)
      throw new RpcError('limitExceeded', `too many calls: at most ${MAX_CALLS} in one request`)
    return executions.run({
      kind: 'replayCalls',
      calls: calls.map(([call, parts]) => ({ fields: callFields(call, chain.chainId), parts })),
      height: requireHeader(chain, block).height,
    })
  },
})
