import { method } from '../../../wire/method.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { World } from '../../world.ts'
import { traceResult } from '../../encode/results.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { refusePending } from '../../pending/atBlock.ts'
import { traceCallConfig } from '../../parameters/traceConfig.ts'

export const debug_traceCall = method({
  // See D16.
  summary: 'Executes a call on the state of a block, with overrides, and returns its trace.',
  params: { call: callObject, block, config: traceCallConfig },
  result: traceResult,
  handler: (
    { chain, executions }: Pick<World, 'chain' | 'executions'>,
    { call, block, config },
  ) => {
    refusePending(block)
    return executions.run({
      kind: 'traceCall',
      fields: callFields(call, chain.chainId),
      height: requireHeader(chain, block).height,
      config,
      state: config.stateOverrides,
      block: config.blockOverrides,
    })
  },
})
