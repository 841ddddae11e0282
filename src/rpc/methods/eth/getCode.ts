import { EMPTY_BYTES } from '../../../base/bytes.ts'
import { method } from '../../../wire/method.ts'
import { address, dataResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireState } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'

export const eth_getCode = method({
  summary: 'Code of a contract; 0x for an account without code.',
  params: { address, block },
  result: dataResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { address, block }) =>
    atBlock(world, block, ({ chain, block }) => {
      const state = requireState(chain, block)
      const account = state.account(address)
      return account ? state.code(account.codeHash) : EMPTY_BYTES
    }),
})
