/** Cross-checks the primary's block with witnesses: a different block that is signed too proves an attack. */
import { equalBytes } from '../../../base/bytes.ts'
import { toUpperHexDigits } from '../../../base/hex.ts'
import { headerHash } from '../header.ts'
import type { Validator } from '../types.ts'
import { checkLightBlock } from './checkBlock.ts'
import { LightError } from './errors.ts'
import { attackBy, type Attack } from './evidence.ts'
import { blockAt, followSkipping, type Trace } from './follow.ts'
import type { LightBlock, LightOptions, Provider } from './types.ts'

/** Another provider, with its name for messages. */
export type Witness = { readonly name: string; readonly provider: Provider }

/** Two signed blocks for one height: trust nothing further until people have investigated. */
export class LightAttackError extends LightError {
  override readonly name = 'LightAttackError'
  /** Against the primary and, if its blocks are valid too, against the witness. */
  readonly evidence: readonly Attack[]

  constructor(message: string, evidence: readonly Attack[]) {
    super('attack', message)
    this.evidence = evidence
  }
}

// For blocks whose commit is known to be for their header.
const hashOf = (block: LightBlock) => block.commit.blockId.hash
const isSame = (a: LightBlock, b: LightBlock) => equalBytes(hashOf(a), hashOf(b))

type Divergence = {
  /** The source's verified trace, from the last common block to its own. */
  readonly sourceTrace: Trace
  /** The block of the trace that contradicts it. */
  readonly conflicting: LightBlock
}

/**
 * Finds where `source`, which has `target`, diverges from a verified trace. Undefined if its blocks do not verify and
 * so prove nothing.
 */
async function findDivergence(
  options: LightOptions,
  trace: Trace,
  target: LightBlock,
  source: Provider,
  nowNs: bigint,
): Promise<Divergence | undefined> {
  try {
    const [first, ...rest] = trace
    const begin = await blockAt(source, first.header.height)
    if (!equalBytes(headerHash(options.crypto.sha256, begin.header), hashOf(first)))
      return undefined
    // From here on the trace's own blocks are the common ones: a source's validators are not trusted.
    let common = first
    for (const block of rest) {
      // Beyond the source's chain: its last block and this one contradict each other in time.
      const isBeyond = block.header.height > target.header.height
      const isTarget = block.header.height === target.header.height
      const own = isBeyond || isTarget ? target : await blockAt(source, block.header.height)
      const sourceTrace = await followSkipping(options, source, common, own, nowNs)
      if (isBeyond || !isSame(own, block)) return { sourceTrace, conflicting: block }
      common = block
    }
    return undefined
  } catch (error) {
    if (error instanceof LightError) return undefined
    throw error
  }
}

function attackIn({ sourceTrace, conflicting }: Divergence): Attack {
  return attackBy(conflicting, sourceTrace.at(-1) ?? sourceTrace[0], sourceTrace[0])
}

/** Throws LightAttackError when what a witness shows, another block than the trace's last one, is proven too. */
async function examine(
  options: LightOptions,
  trace: Trace,
  { witness, other }: { readonly witness: Witness; readonly other: LightBlock },
  primary: Provider,
  nowNs: bigint,
): Promise<void> {
  const divergence = await findDivergence(options, trace, other, witness.provider, nowNs)
  if (divergence === undefined) return
  const { sourceTrace, conflicting } = divergence
  const reverse = await findDivergence(options, sourceTrace, conflicting, primary, nowNs)
  const evidence = [attackIn(divergence), ...(reverse === undefined ? [] : [attackIn(reverse)])]
  throw new LightAttackError(
    `height ${conflicting.header.height}: the primary shows block ${toUpperHexDigits(hashOf(conflicting))} and ${witness.name} shows another one, both with enough signatures`,
    evidence,
  )
}

function samePriorities(a: readonly Validator[], b: readonly Validator[]): boolean {
  return a.every((entry, index) => entry.proposerPriority === b[index]?.proposerPriority)
}

/** A witness's block for the target: that block, its latest one if that is as late, or undefined. */
async function askWitness(
  { crypto }: LightOptions,
  target: LightBlock,
  { provider }: Witness,
): Promise<LightBlock | undefined> {
  try {
    const block = await blockAt(provider, target.header.height)
    checkLightBlock(crypto, target.header.chainId, block)
    return block
  } catch (error) {
    if (!(error instanceof LightError)) throw error
    if (error.code !== 'tooHigh') return undefined
  }
  try {
    const latest = await provider('latest')
    checkLightBlock(crypto, target.header.chainId, latest)
    const contradicts =
      latest.header.height < target.header.height && latest.header.timeNs >= target.header.timeNs
    return contradicts ? latest : undefined
  } catch (error) {
    if (error instanceof LightError) return undefined
    throw error
  }
}

/**
 * Compares the end of a verified trace with what the witnesses have. One that does not respond, lags behind or returns
 * unproven blocks is ignored. Resolves with the names of those that agree. Throws LightAttackError for two proven
 * blocks, LightError `unconfirmed` when none of the witnesses agrees, and `invalid` if one agrees on the block but not
 * on the proposer rotation, which no hash covers.
 */
export async function askWitnesses(
  options: LightOptions,
  trace: Trace,
  primary: Provider,
  witnesses: readonly Witness[],
  nowNs: bigint,
): Promise<readonly string[]> {
  if (witnesses.length === 0) return []
  const target = trace.at(-1) ?? trace[0]
  const answers = await Promise.all(
    witnesses.map((witness) => askWitness(options, target, witness)),
  )
  const agreeing: string[] = []
  for (const [index, witness] of witnesses.entries()) {
    const answer = answers[index]
    if (answer === undefined) continue
    if (!isSame(answer, target)) {
      await examine(options, trace, { witness, other: answer }, primary, nowNs)
      continue
    }
    if (!samePriorities(answer.validators, target.validators))
      throw new LightError(
        'invalid',
        `height ${target.header.height}: ${witness.name} shows other proposer priorities than the primary`,
      )
    agreeing.push(witness.name)
  }
  if (agreeing.length === 0)
    throw new LightError(
      'unconfirmed',
      `height ${target.header.height}: none of ${witnesses.length} witnesses shows the primary's block`,
    )
  return agreeing
}
