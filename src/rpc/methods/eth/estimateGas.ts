import { method } from '../../../wire/method.ts'
import { quantityResult } from '../../../wire/schema.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { World } from '../../world.ts'
import { blockOverrides, stateOverrides } from '../../parameters/overrides.ts'
import { estimateBlock, requireHeader } from '../../parameters/selector.ts'
import { atBlock, stateOnly } from '../../pending/atBlock.ts'

export const eth_estimateGas = method({
  summary:
    'Gas limit with which a transaction would succeed on the state of a block, with overrides.',
  params: { call: callObject, block: estimateBlock, stateOverrides, blockOverrides },
  result: quantityResult,
  handler: (
    world: Pick<World, 'chain' | 'pending' | 'calls' | 'executions' | 'estimatesAt'>,
    args,
  ) => {
    const { call, block, stateOverrides, blockOverrides } = args
    const { chain, calls, executions } = world
    const fields = callFields(call, chain.chainId)
    return atBlock(world, block ?? world.estimatesAt, ({ chain, block, pending: whole }) => {
      const { height } = requireHeader(chain, block)
      const pending = stateOnly(whole)
      if (stateOverrides.size === 0 && Object.keys(blockOverrides).length === 0)
        return calls.estimate(fields, height, pending)
      const overrides = { state: stateOverrides, block: blockOverrides }
      return executions.estimate({ fields, height, pending, ...overrides })
    })
  },
})
