import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { Node } from '../../world.ts'
import { traceResult } from '../../encode/results.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { traceCallConfig } from '../../parameters/traceConfig.ts'

export const debug_traceCall = method({
  summary:
    'Runs a call on the state of a block, under overrides, and gives what a tracer saw (D16).',
  params: { call: callObject, block, config: traceCallConfig },
  result: traceResult,
  handler: ({ chain, executions }: Pick<Node, 'chain' | 'executions'>, { call, block, config }) =>
    executions.run({
      kind: 'traceCall',
      fields: callFields(call, chain.chainId),
      height: requireHeader(chain, block).height,
      config,
      state: config.stateOverrides,
      block: config.blockOverrides,
    }),
})
