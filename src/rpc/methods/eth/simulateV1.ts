import { z } from 'zod'
import { method, type Result } from '../../../wire/method.ts'
import { RpcError } from '../../../wire/errors.ts'
import { dataShape, quantityShape } from '../../../wire/shapes.ts'
import { blockShape } from '../../encode/block.ts'
import { logShape } from '../../encode/log.ts'
import type { World } from '../../world.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { atBlock, stateOnly } from '../../pending/atBlock.ts'
import { simulatePayload } from '../../parameters/simulatePayload.ts'

const callShape = z.strictObject({
  returnData: dataShape,
  logs: z.array(logShape),
  gasUsed: quantityShape,
  maxUsedGas: quantityShape,
  status: z.enum(['0x0', '0x1']),
  error: z
    .strictObject({ code: z.int(), message: z.string(), data: dataShape.optional() })
    .optional(),
})

const simulationResult: Result<unknown> = {
  schema: z.array(blockShape.extend({ calls: z.array(callShape) })),
  encode: (blocks) => blocks,
}

export const eth_simulateV1 = method({
  summary:
    'Simulates blocks of calls that build on each other, with overrides, on top of a block. Nothing is stored.',
  params: { payload: simulatePayload, block },
  result: simulationResult,
  handler: (world: Pick<World, 'chain' | 'pending' | 'executions'>, args, { profile }) => {
    if (args.payload.blockStateCalls.length === 0)
      throw new RpcError('invalidParams', 'empty input')
    return atBlock(world, args.block, ({ chain, block, pending }) =>
      world.executions.run({
        kind: 'simulate',
        payload: args.payload,
        height: requireHeader(chain, block).height,
        pending: stateOnly(pending),
        profile,
      }),
    )
  },
})
