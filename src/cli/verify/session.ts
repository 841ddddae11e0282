/** A light client for one command: the initial trust, and headers on demand. */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyEd25519Zip215 } from '../../base/ed25519Zip215.ts'
import { UserError } from '../../base/errors.ts'
import { toUpperHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { homePaths } from '../../config/home.ts'
import { loadGenesis } from '../../consensus/files/genesis.ts'
import type { AskRpc } from '../../proof/comet/json/answer.ts'
import { beginTrust, type LightClient } from '../../proof/comet/light/client.ts'
import { beginAtGenesis } from '../../proof/comet/light/genesis.ts'
import { rpcProvider } from '../../proof/comet/light/rpcProvider.ts'
import { lightSession, type LightSession } from '../../proof/comet/light/session.ts'
import { signedBy } from '../../proof/comet/light/signers.ts'
import { DEFAULT_LIGHT_OPTIONS, type LightBlock } from '../../proof/comet/light/types.ts'
import type { VerifyOptions } from './options.ts'
import type { Transcript } from './transcript.ts'

/** The servers that a command asks. None of their answers is trusted. */
export type Servers = {
  readonly askConsensus: AskRpc
  /** Calls the Ethereum JSON-RPC, with positional parameters. */
  readonly askEthereum: (method: string, params: readonly unknown[]) => Promise<unknown>
  readonly witnesses: readonly { readonly name: string; readonly ask: AskRpc }[]
}

/** What the verifications depend on. */
export type Session = LightSession &
  Pick<Servers, 'askConsensus' | 'askEthereum'> & { readonly transcript: Transcript }

const hashText = (block: LightBlock) => toUpperHexDigits(block.commit.blockId.hash)

async function begin(
  client: LightClient,
  { trusted, home }: Pick<VerifyOptions, 'trusted' | 'home'>,
  { check }: Transcript,
): Promise<LightBlock> {
  if (trusted !== undefined) {
    const block = await beginTrust(client, trusted.height, trusted.hash)
    check(`header ${trusted.height} has the hash you trust, ${signedBy(block)}`)
    return block
  }
  const { genesis: file } = homePaths(home)
  if (!fs.existsSync(file))
    throw new UserError(
      'nothing is trusted yet',
      'Pass --trusted-height and --trusted-hash of a header from a source you trust, or --home of a home folder with the genesis.json of the chain.',
    )
  const block = await beginAtGenesis(client, client.primary, loadGenesis(file).genesis)
  check(
    `header ${block.header.height} ${hashText(block)} is by the validators of ${file}, ${signedBy(block)}`,
  )
  return block
}

function describe(block: LightBlock, from: LightBlock, steps: number, agreeing: readonly string[]) {
  const direction = block.header.height < from.header.height ? 'back from' : 'from'
  const way = `${steps} ${steps === 1 ? 'step' : 'steps'} ${direction} header ${from.header.height}`
  const witnesses = agreeing.length === 0 ? '' : `; the same at ${agreeing.join(', ')}`
  return `header ${block.header.height} ${hashText(block)}: ${signedBy(block)}, ${way}${witnesses}`
}

/** Starts from what is trusted. Rejects with UserError, LightError or ServerError. */
export async function openSession(
  { askConsensus, askEthereum, witnesses }: Servers,
  options: Pick<VerifyOptions, 'trusted' | 'home' | 'trustingPeriodNs' | 'trustLevel' | 'mode'>,
  transcript: Transcript,
  deadline: AbortSignal,
): Promise<Session> {
  const client: LightClient = {
    ...DEFAULT_LIGHT_OPTIONS,
    trustingPeriodNs: options.trustingPeriodNs,
    trustLevel: options.trustLevel,
    mode: options.mode,
    crypto: { sha256, verifyEd25519: verifyEd25519Zip215 },
    primary: rpcProvider(askConsensus),
    witnesses: witnesses.map(({ name, ask }) => ({ name, provider: rpcProvider(ask) })),
  }
  const session = lightSession(client, await begin(client, options, transcript), {
    nowNs: () => BigInt(Date.now()) * 1_000_000n,
    sleep: (ms) => sleep(ms, undefined, { signal: deadline }),
    onVerified: ({ block, trace, agreeing }) => {
      if (trace.length > 1) transcript.check(describe(block, trace[0], trace.length - 1, agreeing))
    },
  })
  return { ...session, transcript, askConsensus, askEthereum }
}
