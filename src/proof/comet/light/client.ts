/** A light client: extends trust in one block to any other that a provider can supply. */
import { equalBytes } from '../../../base/bytes.ts'
import { toUpperHexDigits } from '../../../base/hex.ts'
import { checkLightBlock } from './checkBlock.ts'
import { LightError } from './errors.ts'
import { blockAt, followSequentially, followSkipping, type Trace } from './follow.ts'
import { addTrusted, trustedUpTo, type TrustedBlocks } from './store.ts'
import type { LightBlock, LightOptions, Provider } from './types.ts'
import { verifyBackward, verifyOwnCommit } from './verify.ts'
import { askWitnesses, type Witness } from './witnesses.ts'

export type LightClient = LightOptions & {
  readonly primary: Provider
  readonly witnesses: readonly Witness[]
  /** `sequential` verifies each height in between. */
  readonly mode: 'skipping' | 'sequential'
}

/** Result of a verification. */
export type Verified = {
  readonly block: LightBlock
  /** Blocks in the order of their verification, starting with the previously trusted one. */
  readonly trace: Trace
  /** The trusted blocks, including these. */
  readonly trusted: TrustedBlocks
  /** Witnesses that have the same block. */
  readonly agreeing: readonly string[]
}

/**
 * The initial trusted block: at a height, with a header hash (32 bytes) that the user knows from another source. Throws
 * LightError.
 */
export async function beginTrust(
  client: LightClient,
  height: number,
  hash: Uint8Array,
): Promise<LightBlock> {
  const block = await blockAt(client.primary, height)
  checkLightBlock(client.crypto, block.header.chainId, block)
  if (!equalBytes(block.commit.blockId.hash, hash))
    throw new LightError(
      'invalid',
      `header ${height} hashes to ${toUpperHexDigits(block.commit.blockId.hash)}, not to the trusted ${toUpperHexDigits(hash)}`,
    )
  verifyOwnCommit(client, block)
  return block
}

async function goBack(client: LightClient, from: LightBlock, target: LightBlock): Promise<Trace> {
  const trace: [LightBlock, ...LightBlock[]] = [from]
  let verified = from
  while (verified.header.height > target.header.height) {
    const height = verified.header.height - 1
    const isTarget = height === target.header.height
    const earlier = isTarget ? target : await blockAt(client.primary, height)
    verifyBackward(client, verified.header, earlier.header)
    trace.push(earlier)
    verified = earlier
  }
  checkLightBlock(client.crypto, from.header.chainId, target)
  verifyOwnCommit(client, target)
  return trace
}

async function goForward(
  client: LightClient,
  from: LightBlock,
  target: LightBlock,
  nowNs: bigint,
): Promise<Pick<Verified, 'trace' | 'agreeing'>> {
  const follow = client.mode === 'skipping' ? followSkipping : followSequentially
  const trace = await follow(client, client.primary, from, target, nowNs)
  const agreeing = await askWitnesses(client, trace, client.primary, client.witnesses, nowNs)
  return { trace, agreeing }
}

function blockOf(trusted: TrustedBlocks, height: number | 'latest'): LightBlock | undefined {
  return trusted.find((block) => block.header.height === height)
}

function nearest(trusted: TrustedBlocks, height: number): LightBlock {
  const from = trustedUpTo(trusted, height) ?? trusted[0]
  if (from === undefined) throw new RangeError('nothing is trusted yet')
  return from
}

/**
 * Verifies the block of a height: forwards from the trusted block nearest below it, with the witnesses' agreement; backwards
 * along the hashes when all trusted blocks are later. Throws LightError; RangeError when nothing is trusted yet.
 */
export async function verifyHeight(
  client: LightClient,
  trusted: TrustedBlocks,
  height: number | 'latest',
  nowNs: bigint,
): Promise<Verified> {
  const known = blockOf(trusted, height)
  if (known !== undefined) return { block: known, trace: [known], trusted, agreeing: [] }
  const target =
    height === 'latest' ? await client.primary(height) : await blockAt(client.primary, height)
  const same = blockOf(trusted, target.header.height)
  if (same !== undefined) return { block: same, trace: [same], trusted, agreeing: [] }
  const from = nearest(trusted, target.header.height)
  const verified =
    target.header.height < from.header.height
      ? { trace: await goBack(client, from, target), agreeing: [] }
      : await goForward(client, from, target, nowNs)
  // Blocks verified backwards were verified only by hash: their validators are unknown.
  return { ...verified, block: target, trusted: addTrusted(trusted, [target]) }
}
