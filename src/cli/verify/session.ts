/** A light client at work for one command: where trust begins, and headers as they are asked for. */
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyEd25519Zip215 } from '../../base/ed25519Zip215.ts'
import { UserError } from '../../base/errors.ts'
import { toUpperHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { homePaths } from '../../config/home.ts'
import { loadGenesis } from '../../consensus/files/genesis.ts'
import type { AskRpc } from '../../proof/comet/json/answer.ts'
import { beginTrust, verifyHeight, type LightClient } from '../../proof/comet/light/client.ts'
import { LightError } from '../../proof/comet/light/errors.ts'
import { beginAtGenesis } from '../../proof/comet/light/genesis.ts'
import { rpcProvider } from '../../proof/comet/light/rpcProvider.ts'
import type { TrustedBlocks } from '../../proof/comet/light/store.ts'
import { DEFAULT_LIGHT_OPTIONS, type LightBlock } from '../../proof/comet/light/types.ts'
import type { VerifyOptions } from './options.ts'
import type { Transcript } from './transcript.ts'

// A header commits to the results of the block before: it comes with the next block, within its interval.
const NEXT_BLOCK_MS = 10_000
const POLL_MS = 200

/** Whom a command asks. Nothing of what they answer is believed. */
export type Servers = {
  readonly askConsensus: AskRpc
  /** Asks the Ethereum JSON-RPC, with parameters in their order. */
  readonly askEthereum: (method: string, params: readonly unknown[]) => Promise<unknown>
  readonly witnesses: readonly { readonly name: string; readonly ask: AskRpc }[]
}

/** What the verifications work with. */
export type Session = Pick<Servers, 'askConsensus' | 'askEthereum'> & {
  readonly transcript: Transcript
  /** The verified block of a height. Rejects with LightError. */
  verified(height: number | 'latest'): Promise<LightBlock>
  /** The one after a height; waits for it a little when the chain is not there yet. */
  verifiedAfter(height: number): Promise<LightBlock>
  /** The latest block that was verified. */
  latestTrusted(): LightBlock
}

const hashText = (block: LightBlock) => toUpperHexDigits(block.commit.blockId.hash)

function signers({ commit, validators }: LightBlock): string {
  const signed = commit.signatures.filter(({ blockIdFlag }) => blockIdFlag === 2).length
  return `signed by ${signed} of ${validators.length} validators`
}

async function begin(
  client: LightClient,
  { trusted, home }: Pick<VerifyOptions, 'trusted' | 'home'>,
  { check }: Transcript,
): Promise<LightBlock> {
  if (trusted !== undefined) {
    const block = await beginTrust(client, trusted.height, trusted.hash)
    check(`header ${trusted.height} has the hash that you trust, ${signers(block)}`)
    return block
  }
  const { genesis: file } = homePaths(home)
  if (!fs.existsSync(file))
    throw new UserError(
      'nothing is trusted yet',
      'Pass --trusted-height and --trusted-hash of a header that you know from someone you trust, or --home of a home with the genesis.json of the chain.',
    )
  const block = await beginAtGenesis(client, client.primary, loadGenesis(file).genesis)
  check(
    `header ${block.header.height} ${hashText(block)} is by the validators of ${file}, ${signers(block)}`,
  )
  return block
}

function describe(block: LightBlock, from: LightBlock, steps: number, agreeing: readonly string[]) {
  const direction = block.header.height < from.header.height ? 'back from' : 'from'
  const way = `${steps} ${steps === 1 ? 'step' : 'steps'} ${direction} header ${from.header.height}`
  const witnesses = agreeing.length === 0 ? '' : `; the same at ${agreeing.join(', ')}`
  return `header ${block.header.height} ${hashText(block)}: ${signers(block)}, ${way}${witnesses}`
}

/** Begins with what is trusted. Rejects with UserError, LightError or ServerError. */
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
  let trusted: TrustedBlocks = [await begin(client, options, transcript)]
  const nowNs = () => BigInt(Date.now()) * 1_000_000n

  const verified = async (height: number | 'latest'): Promise<LightBlock> => {
    const {
      block,
      trace,
      agreeing,
      trusted: more,
    } = await verifyHeight(client, trusted, height, nowNs())
    if (trace.length > 1) transcript.check(describe(block, trace[0], trace.length - 1, agreeing))
    trusted = more
    return block
  }

  return {
    transcript,
    askConsensus,
    askEthereum,
    verified,
    async verifiedAfter(height) {
      const giveUp = performance.now() + NEXT_BLOCK_MS
      for (;;) {
        try {
          return await verified(height + 1)
        } catch (error) {
          const isEarly = error instanceof LightError && error.code === 'tooHigh'
          if (!isEarly || performance.now() > giveUp) throw error
          await sleep(POLL_MS, undefined, { signal: deadline })
        }
      }
    },
    latestTrusted: () => trusted.at(-1) as LightBlock,
  }
}
