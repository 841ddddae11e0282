import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { Node } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { traceTypes } from './parts.ts'
import { replayResult } from './shapes.ts'

export const trace_call = method({
  summary: 'Runs a call on the state of a block and shows its traces and what it would change.',
  params: { call: callObject, types: traceTypes, block },
  result: replayResult,
  handler: ({ chain, executions }: Pick<Node, 'chain' | 'executions'>, { call, types, block }) =>
    executions.run({
      kind: 'replayCall',
      fields: callFields(call, chain.chainId),
      height: requireHeader(chain, block).height,
      parts: types,
    }),
})
