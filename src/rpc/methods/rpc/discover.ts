import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'
import { openRpcDocument } from './openRpc.ts'

const document = z.looseObject({ openrpc: z.string(), methods: z.array(z.looseObject({})) })

export const rpc_discover = method({
  summary: 'All methods as an OpenRPC document.',
  params: {},
  result: { schema: document, encode: (openRpc: object) => openRpc },
  handler: ({ methods }: Pick<World, 'methods'>) => openRpcDocument(methods),
})
