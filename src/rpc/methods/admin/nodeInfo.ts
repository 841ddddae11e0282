import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { method } from '../../../wire/method.ts'
import type { World } from '../../world.ts'

export const admin_nodeInfo = method({
  summary: 'Id, name, address and chain of this node.',
  params: {},
  result: {
    schema: z.strictObject({
      id: z.string(),
      name: z.string(),
      listenAddr: z.string(),
      protocols: z.strictObject({
        eth: z.strictObject({ network: z.int(), genesis: z.string(), head: z.string() }),
      }),
    }),
    encode: (info: unknown) => info,
  },
  handler: ({ network, chain }: Pick<World, 'network' | 'chain'>) => {
    const hashAt = (height: number): string =>
      toHex(chain.header(height)?.hash ?? new Uint8Array(32))
    return {
      id: network.self.id,
      name: network.clientVersion,
      listenAddr: network.self.listenAddress,
      protocols: {
        eth: {
          network: Number(chain.chainId),
          genesis: hashAt(0),
          head: hashAt(chain.latestHeight()),
        },
      },
    }
  },
})
