/** Voting power, in CometBFT's range: int64, and totals of an eighth of it. */
import type { Validator } from './types.ts'

export const MAX_INT64: bigint = 9_223_372_036_854_775_807n
export const MIN_INT64: bigint = -MAX_INT64 - 1n

/** Maximum total power of a set: products with small factors stay within int64. */
export const MAX_TOTAL_VOTING_POWER: bigint = MAX_INT64 / 8n

/** The power of all validators together. Throws RangeError above MAX_TOTAL_VOTING_POWER, and for a negative power. */
export function totalVotingPower(validators: readonly Validator[]): bigint {
  let total = 0n
  for (const { power } of validators) {
    if (power < 0n) throw new RangeError(`a voting power is negative: ${power}`)
    total += power
    if (total > MAX_TOTAL_VOTING_POWER)
      throw new RangeError(`the voting power of the set is above ${MAX_TOTAL_VOTING_POWER}`)
  }
  return total
}
