/** A light client in the page: the code of `assay verify`, with the node as a server that nothing is believed of. */
import { RpcAnswerError, type AskRpc } from '../../../src/proof/comet/json/answer.ts'
import {
  beginTrust,
  verifyHeight,
  type LightClient,
} from '../../../src/proof/comet/light/client.ts'
import { LightError } from '../../../src/proof/comet/light/errors.ts'
import { rpcProvider } from '../../../src/proof/comet/light/rpcProvider.ts'
import { DEFAULT_LIGHT_OPTIONS, type LightBlock } from '../../../src/proof/comet/light/types.ts'
import { bytesToHex, hexToBytes } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { RpcError, type Ask } from '../net/jsonRpc.ts'
import { pageCrypto } from './pageCrypto.ts'
import { readTrust, writeTrust, type Trust } from './trust.ts'

export type Session = {
  readonly askConsensus: AskRpc
  readonly askEthereum: Ask
  readonly chainId: string
  /** Says a check that holds. */
  readonly check: (text: string) => void
  /** The verified block of a height. Rejects with LightError. */
  verified(height: number | 'latest'): Promise<LightBlock>
  /** The one after a height; waits for it a little when the chain is not there yet. */
  verifiedAfter(height: number): Promise<LightBlock>
}

const NEXT_BLOCK_MS = 15_000
const POLL_MS = 250

/** What the proofs expect of errors that a server answers. */
function answering(ask: Ask): AskRpc {
  return async (method, params) => {
    try {
      return await ask(method, params)
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      throw new RpcAnswerError(
        error.message.slice(0, 500),
        typeof error.data === 'string' ? error.data.slice(0, 500) : '',
      )
    }
  }
}

type Status = {
  readonly node_info: { readonly network: string }
  readonly sync_info: {
    readonly earliest_block_height: string
    readonly earliest_block_time: string
  }
}

function upperHex(bytes: Uint8Array): string {
  return bytesToHex(bytes).slice(2).toUpperCase()
}

/** The earliest block while its validators can still be punished: then every later one is a few steps away. */
async function firstSeen(client: LightClient, status: Status): Promise<Trust> {
  const { earliest_block_height: height, earliest_block_time: time } = status.sync_info
  const ageNs = BigInt(Date.now() - Date.parse(time)) * 1_000_000n
  const block = await client.primary(
    ageNs * 2n < client.trustingPeriodNs ? Number(height) : 'latest',
  )
  return {
    height: block.header.height,
    hash: upperHex(block.commit.blockId.hash),
    origin: 'first seen',
  }
}

function describe(block: LightBlock): string {
  const signed = block.commit.signatures.filter(({ blockIdFlag }) => blockIdFlag === 2).length
  return `${upperHex(block.commit.blockId.hash).slice(0, 16)}…, signed by ${signed} of ${block.validators.length} validators`
}

/** Begins with what this browser trusts. Rejects with LightError, or with what the network gave. */
export async function openSession(node: Node, check: (text: string) => void): Promise<Session> {
  const askConsensus = answering(node.consensus)
  const client: LightClient = {
    ...DEFAULT_LIGHT_OPTIONS,
    mode: 'skipping',
    crypto: pageCrypto,
    primary: rpcProvider(askConsensus),
    witnesses: [],
  }
  const status = (await askConsensus('status', {})) as Status
  const chainId = status.node_info.network
  const trust = readTrust(chainId) ?? (await firstSeen(client, status))
  const first = await beginTrust(client, trust.height, hexToBytes(trust.hash))
  if (first.header.chainId !== chainId)
    throw new LightError('invalid', `the trusted header is of the chain ${first.header.chainId}`)
  writeTrust(chainId, trust)
  const how = trust.origin === 'named' ? 'that you named' : 'that this browser saw first'
  check(`Header ${trust.height}, the one ${how}: ${describe(first)}`)

  let trusted: readonly LightBlock[] = [first]
  const verified = async (height: number | 'latest'): Promise<LightBlock> => {
    const now = BigInt(Date.now()) * 1_000_000n
    const { block, trace, trusted: more } = await verifyHeight(client, trusted, height, now)
    trusted = more
    if (trace.length > 1) {
      const steps = trace.length - 1
      check(
        `Header ${block.header.height}, ${steps === 1 ? 'one step' : `${steps} steps`} from there: ${describe(block)}`,
      )
    }
    return block
  }

  return {
    askConsensus,
    askEthereum: node.ethereum,
    chainId,
    check,
    verified,
    async verifiedAfter(height) {
      const giveUp = performance.now() + NEXT_BLOCK_MS
      for (;;) {
        try {
          return await verified(height + 1)
        } catch (error) {
          const isEarly = error instanceof LightError && error.code === 'tooHigh'
          if (!isEarly || performance.now() > giveUp) throw error
          await new Promise((resolve) => setTimeout(resolve, POLL_MS))
        }
      }
    },
  }
}
