/** Asking others for the block that the primary gave: one that differs, and is signed too, shows an attack. */
import { equalBytes } from '../../../base/bytes.ts'
import { toUpperHexDigits } from '../../../base/hex.ts'
import { headerHash } from '../header.ts'
import type { Validator } from '../types.ts'
import { checkLightBlock } from './checkBlock.ts'
import { LightError } from './errors.ts'
import { attackBy, type Attack } from './evidence.ts'
import { blockAt, followSkipping, type Trace } from './follow.ts'
import type { LightBlock, LightOptions, Provider } from './types.ts'

/** Another provider, with the name that messages call it by. */
export type Witness = { readonly name: string; readonly provider: Provider }

/** Two signed blocks for one height: nothing more is to be believed until people have looked at it. */
export class LightAttackError extends LightError {
  override readonly name = 'LightAttackError'
  /** Against the primary, and where its blocks hold as well, against the witness. */
  readonly evidence: readonly Attack[]

  constructor(message: string, evidence: readonly Attack[]) {
    super('attack', message)
    this.evidence = evidence
  }
}

// Of blocks whose commit was checked to be for their header.
const hashOf = (block: LightBlock) => block.commit.blockId.hash
const isSame = (a: LightBlock, b: LightBlock) => equalBytes(hashOf(a), hashOf(b))

type Divergence = {
  /** What the source proves, from the last common block to its own. */
  readonly sourceTrace: Trace
  /** The block of the trace that contradicts it. */
  readonly conflicting: LightBlock
}

/**
 * Where `source`, who answers `target`, leaves a verified trace. Undefined when its blocks do not verify, so that it proves
 * nothing.
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
    // From here on the trace's own blocks are the common ones: a source's validators are not believed.
    let common = first
    for (const block of rest) {
      // Beyond what the source has: its last block and this one contradict each other in time.
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

async function examine(
  options: LightOptions,
  trace: Trace,
  other: LightBlock,
  witness: Witness,
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

/** What a witness shows for the target: that block, its latest one when that is as late, or undefined. */
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
 * Compares the end of a verified trace with what the witnesses have. One that does not answer, lags behind or shows blocks
 * without proof counts for nothing. Gives the names of those that agree. Throws LightAttackError for two proven blocks,
 * LightError `unconfirmed` when none of the witnesses agrees, and `invalid` when one agrees on the block but not on whose
 * turn it is to propose, which no hash covers.
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
      await examine(options, trace, answer, witness, primary, nowNs)
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
