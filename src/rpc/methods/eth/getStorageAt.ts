import { method } from '../../../wire/method.ts'
import { address, dataResult } from '../../../wire/schema.ts'
import type { World } from '../../world.ts'
import { block, requireState } from '../../parameters/selector.ts'
import { atBlock } from '../../pending/atBlock.ts'
import { decodeStorageKey, storageKey } from '../../parameters/storageKey.ts'

export const eth_getStorageAt = method({
  // See D9.
  summary: 'Value of a storage slot, always 32 bytes.',
  params: { address, position: storageKey, block },
  result: dataResult,
  handler: (world: Pick<World, 'chain' | 'pending'>, { address, position, block }) =>
    atBlock(world, block, ({ chain, block }) =>
      requireState(chain, block).storage(address, decodeStorageKey(position)),
    ),
})
