import { method } from '../../../wire/method.ts'
import type { Node } from '../../world.ts'
import { addressResult } from '../../encode/results.ts'

export const eth_coinbase = method({
  summary: "Address that receives this node's rewards (D48).",
  params: {},
  result: addressResult,
  handler: ({ coinbase }: Pick<Node, 'coinbase'>) => coinbase(),
})
