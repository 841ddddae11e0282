import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { toQuantity } from '../../../base/quantity.ts'
import { method, type Result } from '../../../wire/method.ts'
import { addressShape, hashShape, quantityShape } from '../../../wire/shapes.ts'
import { callFields, callObject } from '../../parameters/callObject.ts'
import type { AccessListAnswer } from '../../executions/protocol.ts'
import type { World } from '../../world.ts'
import { stateOverrides } from '../../parameters/overrides.ts'
import { block, requireHeader } from '../../parameters/selector.ts'
import { atBlock, stateOnly } from '../../pending/atBlock.ts'

const accessListResult: Result<AccessListAnswer> = {
  schema: z.strictObject({
    accessList: z.array(z.strictObject({ address: addressShape, storageKeys: z.array(hashShape) })),
    gasUsed: quantityShape,
    error: z.string().optional(),
  }),
  encode: ({ accessList, gasUsed, error }) => ({
    accessList: accessList.map(({ address, storageKeys }) => ({
      address: toHex(address),
      storageKeys: storageKeys.map(toHex),
    })),
    gasUsed: toQuantity(gasUsed),
    ...(error !== '' && { error }),
  }),
}

export const eth_createAccessList = method({
  summary:
    'Accounts and slots that a call accesses (EIP-2930), and the gas it uses with that access list.',
  params: { call: callObject, block, stateOverrides },
  result: accessListResult,
  handler: (world: Pick<World, 'chain' | 'pending' | 'executions'>, args) =>
    atBlock(world, args.block, ({ chain, block, pending }) =>
      world.executions.accessList({
        fields: callFields(args.call, chain.chainId),
        height: requireHeader(chain, block).height,
        pending: stateOnly(pending),
        state: args.stateOverrides,
      }),
    ),
})
