import { method } from '../../wire/method.ts'
import { quantityResult } from '../../wire/schema.ts'
import { callFields, callObject } from '../callObject.ts'
import type { Node } from '../node.ts'
import { block, requireHeader } from '../selector.ts'

export const eth_estimateGas = method({
  summary: 'Gas limit with which a transaction would succeed on the state of a block.',
  params: { call: callObject, block },
  result: quantityResult,
  handler: ({ chain, calls }: Pick<Node, 'chain' | 'calls'>, { call, block }) =>
    calls.estimate(callFields(call, chain.chainId), requireHeader(chain, block).height),
})
