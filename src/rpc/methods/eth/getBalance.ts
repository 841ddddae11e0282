import { method } from '../../../wire/method.ts'
import { address, quantityResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireState } from '../../parameters/selector.ts'

export const eth_getBalance = method({
  summary: 'Balance of an account, in the smallest unit.',
  params: { address, block },
  result: quantityResult,
  handler: ({ chain }: Pick<World, 'chain'>, { address, block }) =>
    requireState(chain, block).account(address)?.balance ?? 0n,
})
