import { RpcError } from '../../wire/errors.ts'
import { method } from '../../wire/method.ts'
import { dataResult } from '../../wire/schema.ts'
import { callFields, callObject } from '../callObject.ts'
import type { Node } from '../node.ts'
import { block, requireHeader } from '../selector.ts'

export const eth_call = method({
  summary:
    'Executes a message on the state of a block and gives what it returns; nothing is stored.',
  params: { call: callObject, block },
  result: dataResult,
  handler: ({ chain, calls }: Pick<Node, 'chain' | 'calls'>, { call, block }) => {
    const fields = callFields(call, chain.chainId)
    if (!fields.to && fields.data.length === 0)
      throw new RpcError(
        'invalidParams',
        'invalid argument 0: to: missing, and no data to create a contract from',
      )
    return calls.call(fields, requireHeader(chain, block).height)
  },
})
