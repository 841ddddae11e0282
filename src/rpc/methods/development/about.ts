/** Information that tools request about a development chain. */
import { z } from 'zod'
import { toHex } from '../../../base/hex.ts'
import { method, type Result } from '../../../wire/method.ts'
import { hashShape } from '../../../wire/shapes.ts'
import { doneResult, type DevelopmentWorld } from './method.ts'

type Facts = Pick<DevelopmentWorld, 'chain' | 'network'>
type Metadata = {
  readonly clientVersion: string
  readonly chainId: number
  readonly instanceId: string
  readonly latestBlockNumber: number
  readonly latestBlockHash: string
}

const metadataResult: Result<Metadata> = {
  schema: z.strictObject({
    clientVersion: z.string(),
    chainId: z.int(),
    instanceId: hashShape,
    latestBlockNumber: z.int(),
    latestBlockHash: hashShape,
  }),
  encode: (metadata) => metadata,
}

export const metadata = method({
  summary: 'Client, chain and latest block; the instance id is the genesis hash.',
  params: {},
  result: metadataResult,
  handler: ({ chain, network }: Facts): Metadata => {
    const height = chain.latestHeight()
    const hashOf = (at: number) => toHex(chain.header(at)?.hash ?? new Uint8Array(32))
    return {
      clientVersion: network.clientVersion,
      chainId: Number(chain.chainId),
      instanceId: hashOf(0),
      latestBlockNumber: height,
      latestBlockHash: hashOf(height),
    }
  },
})

export const setLoggingEnabled = method({
  summary: 'Does nothing: clients do not control the log of this node.',
  params: { isOn: z.boolean() },
  result: doneResult,
  handler: () => undefined,
})
