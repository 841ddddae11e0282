import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { emptyListShape } from '../../../wire/shapes.ts'
import type { World } from '../../world.ts'

export const admin_peers = method({
  summary:
    "Peers of this node's CometBFT; none with the embedded engine. They do not speak an Ethereum protocol.",
  params: {},
  result: {
    schema: z.array(
      z.strictObject({
        /** The id by which CometBFT's peers know it, in hex digits. */
        id: z.string(),
        name: z.string(),
        caps: emptyListShape,
        network: z.strictObject({
          localAddress: z.string(),
          remoteAddress: z.string(),
          inbound: z.boolean(),
        }),
        protocols: z.strictObject({}),
      }),
    ),
    encode: (peers: unknown) => peers,
  },
  handler: ({ network }: Pick<World, 'network'>) =>
    network.peers().map(({ id, name, ip, isOutbound }) => ({
      id,
      name,
      caps: [],
      // CometBFT does not report on which of its own addresses a peer is connected, nor from which port.
      network: { localAddress: '', remoteAddress: ip, inbound: !isOutbound },
      protocols: {},
    })),
})
