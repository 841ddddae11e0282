/** The proposer rotation: CometBFT's weighted round robin (v0.38 specification, "Proposer Selection"). */
import { compareBytes } from '../../base/bytes.ts'
import type { Validator } from './types.ts'
import { MAX_INT64, MIN_INT64, totalVotingPower } from './votingPower.ts'

// Priorities differ by at most this many times the total power.
const WINDOW = 2n

const clip = (value: bigint) =>
  value > MAX_INT64 ? MAX_INT64 : value < MIN_INT64 ? MIN_INT64 : value

function withPriority(validator: Validator, proposerPriority: bigint): Validator {
  return { ...validator, proposerPriority: clip(proposerPriority) }
}

// Distances beyond int64 wrap around as Go's do. They occur only in forged sets, which every verifier must still read
// the same way.
const wrap = (value: bigint) => BigInt.asIntN(64, value)

// Division rounds towards zero, as Go's does.
function rescale(validators: readonly Validator[], window: bigint): readonly Validator[] {
  const priorities = validators.map(({ proposerPriority }) => proposerPriority)
  const highest = priorities.reduce((a, b) => (a > b ? a : b))
  const lowest = priorities.reduce((a, b) => (a < b ? a : b))
  const difference = wrap(highest - lowest)
  const distance = difference < 0n ? wrap(-difference) : difference
  if (window <= 0n || distance <= window) return validators
  const ratio = wrap(distance + window - 1n) / window
  return validators.map((entry) => withPriority(entry, entry.proposerPriority / ratio))
}

// The average is Euclidean division: of a negative sum it rounds down.
function centre(validators: readonly Validator[]): readonly Validator[] {
  const count = BigInt(validators.length)
  const sum = validators.reduce((total, { proposerPriority }) => total + proposerPriority, 0n)
  const average = (sum - (((sum % count) + count) % count)) / count
  return validators.map((entry) => withPriority(entry, entry.proposerPriority - average))
}

function precedes(a: Validator, b: Validator): boolean {
  if (a.proposerPriority !== b.proposerPriority) return a.proposerPriority > b.proposerPriority
  return compareBytes(a.address, b.address) < 0
}

function indexOfFirst(validators: readonly Validator[]): number {
  let first = 0
  for (const [index, entry] of validators.entries())
    if (precedes(entry, validators[first] as Validator)) first = index
  return first
}

/** Rescales priorities into the window and centres them around zero, as after a change of the set. */
export function centrePriorities(validators: readonly Validator[]): readonly Validator[] {
  if (validators.length === 0) return validators
  return centre(rescale(validators, WINDOW * totalVotingPower(validators)))
}

/**
 * Initial priority of a validator that joins: 1.125 times the set's power behind, so that leaving and rejoining gains
 * nothing.
 */
export function joiningPriority(validators: readonly Validator[]): bigint {
  const total = totalVotingPower(validators)
  return -(total + (total >> 3n))
}

/** The set after some turns (at least 1), and the proposer of the last one. */
export type Rotation = { readonly validators: readonly Validator[]; readonly proposer: Validator }

/** Advances the rotation `times` times. Throws RangeError for an empty set, too much power, or zero turns. */
export function rotateProposer(validators: readonly Validator[], times: number): Rotation {
  if (validators.length === 0) throw new RangeError('an empty set has no proposer')
  if (!Number.isSafeInteger(times) || times < 1) throw new RangeError('there is no turn to pass')
  const total = totalVotingPower(validators)
  let current = centrePriorities(validators)
  let turn = 0
  for (let i = 0; i < times; i++) {
    current = current.map((entry) => withPriority(entry, entry.proposerPriority + entry.power))
    turn = indexOfFirst(current)
    current = current.map((entry, index) =>
      index === turn ? withPriority(entry, entry.proposerPriority - total) : entry,
    )
  }
  return { validators: current, proposer: current[turn] as Validator }
}
