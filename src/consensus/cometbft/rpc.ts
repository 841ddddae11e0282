/** The few methods of CometBFT's own RPC that we call (D96). */
import { z } from 'zod'
import { toBase64 } from '../../base/base64.ts'
import { messageOf } from '../../base/errors.ts'
import { createPost } from './post.ts'
import { heightText, hexDigits } from '../../proof/comet/json/scalars.ts'

/** Maximum number of requests in one batch in CometBFT's default configuration. */
export const MAX_BATCH = 10

/** Maximum number of requests in one batch to a CometBFT that this node runs: each has less to do per transaction. */
export const MAX_OWN_BATCH = 100

/** Maximum bytes of transactions in one batch: CometBFT takes bodies of 1,000,000 bytes, and base64 adds a third. */
export const MAX_BATCH_BYTES = 700_000

const status = z
  .object({
    node_info: z.object({ id: z.string(), network: z.string(), version: z.string() }),
    sync_info: z.object({
      latest_block_height: heightText,
      catching_up: z.boolean(),
    }),
    validator_info: z.object({ address: hexDigits }),
  })
  .transform((json) => ({
    nodeId: json.node_info.id,
    chainId: json.node_info.network,
    version: json.node_info.version,
    height: json.sync_info.latest_block_height,
    isCatchingUp: json.sync_info.catching_up,
    validatorAddress: json.validator_info.address,
  }))

const netInfo = z
  .object({
    peers: z.array(
      z.object({
        node_info: z.object({ id: z.string(), moniker: z.string() }),
        is_outbound: z.boolean(),
        remote_ip: z.string(),
      }),
    ),
  })
  .transform(({ peers }) =>
    peers.map((peer) => ({
      id: peer.node_info.id,
      name: peer.node_info.moniker,
      isOutbound: peer.is_outbound,
      ip: peer.remote_ip,
    })),
  )

const consensusState = z
  .object({
    peers: z
      .array(z.object({ peer_state: z.object({ round_state: z.object({ height: heightText }) }) }))
      .nullable(),
  })
  .transform(({ peers }) => (peers ?? []).map((peer) => peer.peer_state.round_state.height))

const answer = z.object({
  id: z.number().optional(),
  // An error response has none.
  result: z.unknown().optional(),
  error: z.object({ message: z.string(), data: z.string().default('') }).optional(),
})

const textOf = ({ message, data }: NonNullable<z.infer<typeof answer>['error']>): string =>
  `${message}: ${data}`

export type CometStatus = Readonly<z.infer<typeof status>>

/** A connected node: what it reports about itself, and the address from which it connects. */
export type CometPeer = Readonly<z.infer<typeof netInfo>[number]>

/** CometBFT did not answer, or answered with an error. */
export class CometRpcError extends Error {
  override readonly name = 'CometRpcError'
}

export type CometRpcClient = {
  status(): Promise<CometStatus>
  peers(): Promise<readonly CometPeer[]>
  /** The heights that connected nodes report to be deciding; 0 for one that has reported none yet. */
  peerHeights(): Promise<readonly number[]>
  /**
   * Broadcasts transactions, as many and as large as a batch may be, without waiting for their check. For each, resolves
   * with the reason why it was refused, or undefined.
   */
  broadcast(txs: readonly Uint8Array[]): Promise<readonly (string | undefined)[]>
}

/** Sends a request or a batch, and resolves with the parsed response. Rejects with CometRpcError. */
type PostJson = (body: unknown) => Promise<unknown>

function postTo(url: string, signal: AbortSignal): PostJson {
  const send = createPost(url, signal)
  return async (body) => {
    try {
      return JSON.parse(await send(JSON.stringify(body)))
    } catch (error) {
      throw new CometRpcError(`CometBFT at ${url} does not respond: ${messageOf(error)}`)
    }
  }
}

/**
 * A client of the RPC at a URL ("http://127.0.0.1:26657"). All methods reject with CometRpcError. A simulation gives its
 * own `post`.
 */
export function createCometRpcClient(
  url: string,
  signal: AbortSignal,
  post: PostJson = postTo(url, signal),
): CometRpcClient {
  async function ask<T>(method: string, schema: z.ZodType<T>): Promise<T> {
    const response = answer.safeParse(await post({ jsonrpc: '2.0', id: 0, method, params: {} }))
    if (!response.success) throw new CometRpcError(`CometBFT: ${method}: malformed response`)
    const { result, error } = response.data
    if (error !== undefined) throw new CometRpcError(`CometBFT: ${method}: ${textOf(error)}`)
    const read = schema.safeParse(result)
    if (read.success) return read.data
    throw new CometRpcError(`CometBFT: ${method}: ${read.error.issues[0]?.message ?? 'malformed'}`)
  }

  return {
    status: () => ask('status', status),
    peers: () => ask('net_info', netInfo),
    peerHeights: () => ask('dump_consensus_state', consensusState),
    async broadcast(txs) {
      const body = txs.map((tx, id) => ({
        jsonrpc: '2.0',
        id,
        method: 'broadcast_tx_async',
        params: { tx: toBase64(tx) },
      }))
      const response = await post(body)
      // CometBFT 0.38 answers a batch of one with an object instead of an array.
      const answers = z
        .array(answer)
        .max(txs.length)
        .safeParse(Array.isArray(response) ? response : [response])
      if (!answers.success)
        throw new CometRpcError('CometBFT: broadcast_tx_async: malformed response')
      // An error that belongs to no request refuses the batch as a whole.
      const whole = answers.data.find(({ id, error }) => id === undefined && error !== undefined)
      if (whole?.error !== undefined)
        throw new CometRpcError(`CometBFT: broadcast_tx_async: ${textOf(whole.error)}`)
      const byId = new Map(answers.data.map((each) => [each.id, each]))
      return txs.map((_tx, id) => {
        const own = byId.get(id)
        return own === undefined ? 'no answer' : own.error && textOf(own.error)
      })
    },
  }
}
