import { method } from '../../../wire/method.ts'
import { address, quantityResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireState } from '../../parameters/selector.ts'

export const eth_getTransactionCount = method({
  summary:
    'Nonce of an account; with pending, the nonce after its executable transactions in the pool.',
  params: { address, block },
  result: quantityResult,
  handler: ({ chain, pool }: Pick<World, 'chain' | 'pool'>, { address, block }) =>
    'tag' in block && block.tag === 'pending'
      ? pool.pendingNonce(address)
      : (requireState(chain, block).account(address)?.nonce ?? 0n),
})
