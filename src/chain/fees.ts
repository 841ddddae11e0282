/** The base fee, which moves with time rather than with the number of blocks (D18). */
import type { BlockHeader } from './block.ts'
import type { ChainRules } from './executed.ts'
import type { ChainReader } from './reader.ts'

const SECOND = 1_000_000_000n
/** Gas target = limit / 2, as in EIP-1559. */
const ELASTICITY = 2n
/** At most 1/8, so 12.5 %, per second. */
const MAX_CHANGE_DENOMINATOR = 8n

/**
 * The base fee of a block `elapsedNs` nanoseconds after its parent. In integers, rounded towards the parent's:
 * base * (gasUsed - target) / target / 8 * min(elapsed, 1 s) / 1 s, never below `minBaseFee`.
 */
export function nextBaseFee(
  parent: Pick<BlockHeader, 'baseFeePerGas' | 'gasUsed' | 'gasLimit'>,
  elapsedNs: bigint,
  minBaseFee: bigint,
): bigint {
  const target = parent.gasLimit / ELASTICITY
  const elapsed = elapsedNs < 0n ? 0n : elapsedNs > SECOND ? SECOND : elapsedNs
  const change =
    (parent.baseFeePerGas * (parent.gasUsed - target) * elapsed) /
    (target * MAX_CHANGE_DENOMINATOR * SECOND)
  const next = parent.baseFeePerGas + change
  return next < minBaseFee ? minBaseFee : next
}

/** The base fee of a block created at an instant (nanoseconds since 1970) on top of the last one. */
export function baseFeeAt(
  chain: Pick<ChainReader, 'header' | 'latestHeight'>,
  rules: Pick<ChainRules, 'initialBaseFee' | 'minBaseFee'>,
  timeNs: bigint,
): bigint {
  const parent = chain.header(chain.latestHeight())
  return parent === undefined
    ? rules.initialBaseFee
    : nextBaseFee(parent, timeNs - parent.timeNs, rules.minBaseFee)
}
