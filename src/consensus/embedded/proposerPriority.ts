/**
 * Whose turn it is: CometBFT's proposer priorities (types/validator_set.go). Each height everybody's priority grows by their
 * power; who has the highest proposes and pays the total. Over many heights everybody proposes in proportion to power.
 */
import { compareBytes } from '../../base/bytes.ts'
import type { Validator } from '../../proof/comet/types.ts'

/** Priorities never lie further apart than this many times the total power. */
const WINDOW_FACTOR = 2n

/** Power of a whole set. */
export function totalPower(validators: readonly Validator[]): bigint {
  return validators.reduce((sum, { power }) => sum + power, 0n)
}

/** Where a validator that joins starts: 1.125 times the total behind, so that leaving and joining again is no gain. */
export function joiningPriority(total: bigint): bigint {
  return -(total + (total >> 3n))
}

/** Rounds towards minus infinity, for a positive divisor. */
function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value % divisor < 0n ? quotient - 1n : quotient
}

/** Brings priorities into the window, and their average to zero. */
export function centrePriorities(validators: readonly Validator[]): readonly Validator[] {
  if (validators.length === 0) return validators
  const priorities = validators.map(({ proposerPriority }) => proposerPriority)
  const [first = 0n] = priorities
  const highest = priorities.reduce((a, b) => (a > b ? a : b), first)
  const lowest = priorities.reduce((a, b) => (a < b ? a : b), first)
  const window = WINDOW_FACTOR * totalPower(validators)
  const difference = highest - lowest
  const ratio = difference > window ? (difference + window - 1n) / window : 1n
  const scaled = priorities.map((priority) => priority / ratio)
  const sum = scaled.reduce((a, b) => a + b, 0n)
  const average = floorDivide(sum, BigInt(validators.length))
  return validators.map((validator, index) => ({
    ...validator,
    proposerPriority: (scaled[index] ?? 0n) - average,
  }))
}

/** Who proposes: the highest priority, and among equals the lowest address. */
export function proposerOf(validators: readonly Validator[]): Validator | undefined {
  return validators.reduce<Validator | undefined>((best, validator) => {
    if (best === undefined || validator.proposerPriority > best.proposerPriority) return validator
    const isTie = validator.proposerPriority === best.proposerPriority
    return isTie && compareBytes(validator.address, best.address) < 0 ? validator : best
  }, undefined)
}

/** The set one height on. A single validator stays as it is: it always proposes, at priority 0. */
export function rotateProposer(validators: readonly Validator[]): readonly Validator[] {
  const [only] = validators
  if (validators.length === 1 && only?.proposerPriority === 0n) return validators
  const total = totalPower(validators)
  const grown = centrePriorities(validators).map((validator) => ({
    ...validator,
    proposerPriority: validator.proposerPriority + validator.power,
  }))
  const proposer = proposerOf(grown)
  return grown.map((validator) =>
    validator === proposer
      ? { ...validator, proposerPriority: validator.proposerPriority - total }
      : validator,
  )
}
