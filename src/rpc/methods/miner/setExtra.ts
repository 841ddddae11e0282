import { RpcError } from '../../../wire/errors.ts'
import { method } from '../../../wire/method.ts'
import { booleanResult } from '../../../wire/schema.ts'
import { message } from '../../parameters/message.ts'

const MAX_EXTRA = 32

export const miner_setExtra = method({
  // See D12, D48.
  summary: 'Unsupported: always returns an error. Blocks carry no extra data.',
  params: { extra: message },
  result: booleanResult,
  handler: (_world, { extra }) => {
    if (extra.length > MAX_EXTRA)
      throw new RpcError('server', `extra exceeds max length. ${extra.length} > ${MAX_EXTRA}`)
    throw new RpcError('server', 'unsupported rpc function: miner_setExtra')
  },
})
