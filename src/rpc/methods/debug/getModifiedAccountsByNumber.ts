import { z } from 'zod'
import type { ChainReader } from '../../../chain/reader.ts'
import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { addressesResult } from '../../encode/results.ts'
import type { World } from '../../world.ts'
import { modifiedBetween } from './modifiedAccounts.ts'

const height = z.int().nonnegative()

function requireBlock(chain: ChainReader, number: number, name: string): void {
  if (chain.header(number) === undefined) throw new RpcError('server', `${name} not found`)
}

export const debug_getModifiedAccountsByNumber = method({
  summary:
    'Accounts that changed after one block up to another, both by height; with one height, those that this block changed.',
  params: { start: height, end: height.nullish() },
  result: addressesResult,
  handler: (world: Pick<World, 'chain' | 'executions'>, { start, end }) => {
    requireBlock(world.chain, start, `start block ${start.toString(16)}`)
    if (end != null) requireBlock(world.chain, end, `end block ${end}`)
    return modifiedBetween(world, start, end ?? undefined)
  },
})
