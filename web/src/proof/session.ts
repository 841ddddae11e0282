/** A light client in the page: the code of `assay verify`, with the node as an untrusted server. */
import { RpcAnswerError, type AskRpc } from '../../../src/proof/comet/json/answer.ts'
import { beginTrust, type LightClient } from '../../../src/proof/comet/light/client.ts'
import { LightError } from '../../../src/proof/comet/light/errors.ts'
import { rpcProvider } from '../../../src/proof/comet/light/rpcProvider.ts'
import { lightSession, type LightSession } from '../../../src/proof/comet/light/session.ts'
import { signedBy } from '../../../src/proof/comet/light/signers.ts'
import { DEFAULT_LIGHT_OPTIONS, type LightBlock } from '../../../src/proof/comet/light/types.ts'
import { bytesToHex, hexToBytes } from '../format/hex.ts'
import type { Node } from '../net/context.ts'
import { RpcError, type Ask } from '../net/jsonRpc.ts'
import { portableCrypto } from '../../../src/proof/comet/portableCrypto.ts'
import { readTrust, writeTrust, type Trust } from './trust.ts'

export type Session = LightSession & {
  readonly askConsensus: AskRpc
  readonly askEthereum: Ask
  readonly chainId: string
  /** Says a check that holds. */
  readonly check: (text: string) => void
}

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
  return `${upperHex(block.commit.blockId.hash).slice(0, 16)}…, ${signedBy(block)}`
}

/** Begins with what this browser trusts. Rejects with LightError, or with what the network gave. */
export async function openSession(node: Node, check: (text: string) => void): Promise<Session> {
  const askConsensus = answering(node.consensus)
  const client: LightClient = {
    ...DEFAULT_LIGHT_OPTIONS,
    mode: 'skipping',
    crypto: portableCrypto,
    primary: rpcProvider(askConsensus),
    witnesses: [],
  }
  const status = (await askConsensus('status', {})) as Status
  const chainId = status.node_info.network
  const trust = readTrust(chainId) ?? (await firstSeen(client, status))
  const first = await beginTrust(client, trust.height, hexToBytes(trust.hash))
  if (first.header.chainId !== chainId)
    throw new LightError('invalid', `the trusted header is of chain ${first.header.chainId}`)
  writeTrust(chainId, trust)
  const how = trust.origin === 'named' ? 'that you chose' : 'that this browser saw first'
  check(`Header ${trust.height}, the one ${how}: ${describe(first)}`)

  const session = lightSession(client, first, {
    nowNs: () => BigInt(Date.now()) * 1_000_000n,
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    onVerified: ({ block, trace }) => {
      const steps = trace.length - 1
      if (steps === 0) return
      const way = steps === 1 ? 'one step' : `${steps} steps`
      check(`Header ${block.header.height}, ${way} from there: ${describe(block)}`)
    },
  })
  return { ...session, askConsensus, askEthereum: node.ethereum, chainId, check }
}
