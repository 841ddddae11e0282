import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { addressResult } from '../../encode/results.ts'

export const eth_coinbase = method({
  // See D48.
  summary: "Address that receives this node's rewards.",
  params: {},
  result: addressResult,
  handler: ({ coinbase }: Pick<World, 'coinbase'>) => coinbase(),
})
