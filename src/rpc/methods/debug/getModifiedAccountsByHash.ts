import { toHexDigits } from '../../../base/hex.ts'
import type { ChainReader } from '../../../chain/reader.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { hash } from '../../../wire/schema.ts'
import { addressesResult } from '../../encode/results.ts'
import type { World } from '../../world.ts'
import { modifiedBetween } from './modifiedAccounts.ts'

function requireHeight(chain: ChainReader, blockHash: Uint8Array, name: string): number {
  const height = chain.heightOfHash(blockHash)
  if (height !== undefined) return height
  throw new RpcError('server', `${name} block ${toHexDigits(blockHash)} not found`)
}

export const debug_getModifiedAccountsByHash = method({
  summary:
    'Accounts that changed after one block up to another, both by hash; with one hash, those that this block changed.',
  params: { start: hash, end: hash.nullish() },
  result: addressesResult,
  handler: (world: Pick<World, 'chain' | 'executions'>, { start, end }) => {
    const first = requireHeight(world.chain, start, 'start')
    const last = end ? requireHeight(world.chain, end, 'end') : undefined
    return modifiedBetween(world, first, last)
  },
})
