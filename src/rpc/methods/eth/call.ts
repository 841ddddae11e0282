import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { dataResult } from '../../../wire/schema.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { World } from '../../world.ts'
import { blockOverrides, stateOverrides } from '../../parameters/overrides.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { atBlock, stateOnly } from '../../pending/atBlock.ts'

export const eth_call = method({
  summary:
    'Executes a call on the state of a block, with overrides, and returns its output. Nothing is stored.',
  params: { call: callObject, block, stateOverrides, blockOverrides },
  result: dataResult,
  handler: (world: Pick<World, 'chain' | 'pending' | 'calls' | 'executions'>, args) => {
    const { call, block, stateOverrides, blockOverrides } = args
    const { chain, calls, executions } = world
    const fields = callFields(call, chain.chainId)
    if (!fields.to && fields.data.length === 0)
      throw new RpcError(
        'invalidParams',
        'invalid argument 0: to: missing, and no data to create a contract from',
      )
    return atBlock(world, block, ({ chain, block, pending: whole }) => {
      const { height } = requireHeader(chain, block)
      const pending = stateOnly(whole)
      if (stateOverrides.size === 0 && Object.keys(blockOverrides).length === 0)
        return calls.call(fields, height, pending)
      const overrides = { state: stateOverrides, block: blockOverrides }
      return executions.call({ fields, height, pending, ...overrides })
    })
  },
})
