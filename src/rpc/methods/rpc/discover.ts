import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { openRpcDocument } from './openRpc.ts'

const document = z.looseObject({ openrpc: z.string(), methods: z.array(z.looseObject({})) })

export const rpc_discover = method({
  summary: 'All methods as an OpenRPC document.',
  params: {},
  result: { schema: document, encode: (openRpc: object) => openRpc },
  handler: async () => {
    // The table lists this method too, so it is looked at only when it is asked for.
    const { METHODS } = await import('../../table.ts')
    return openRpcDocument(METHODS)
  },
})
