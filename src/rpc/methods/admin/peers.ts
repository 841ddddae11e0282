import { z } from 'zod'
import { method } from '../../../wire/method.ts'
import { emptyListShape } from '../../../wire/shapes.ts'
import type { Node } from '../../world.ts'

export const admin_peers = method({
  summary:
    'Peers of this node: those of its CometBFT, none with the embedded engine. They speak no Ethereum protocol.',
  params: {},
  result: {
    schema: z.array(
      z.strictObject({
        /** By which CometBFT's peers know it, in hex digits. */
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
  handler: ({ network }: Pick<Node, 'network'>) =>
    network.peers().map(({ id, name, ip, isOutbound }) => ({
      id,
      name,
      caps: [],
      // CometBFT does not tell on which of its own addresses a peer is connected, nor from which port.
      network: { localAddress: '', remoteAddress: ip, inbound: !isOutbound },
      protocols: {},
    })),
})
