import { method } from '../../../wire/method.ts'
import { address, quantityResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireState } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

export const eth_getBalance = method({
  summary: 'Balance of an account, in the smallest unit.',
  params: { address, block },
  result: quantityResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { address, block }) =>
    atBlock(
      world,
      block,
      ({ chain, block }) => requireState(chain, block).account(address)?.balance ?? 0n,
    ),
})
