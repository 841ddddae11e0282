/**
 * The EVM fork that is active at a height: the one of genesis or the one that the validators decided, whichever is
 * newer (D19).
 */
import {
  CHAIN_HARDFORKS,
  GENESIS_HARDFORK,
  includesFork,
  LATEST_HARDFORK,
  type Hardfork,
} from '../../evm/rules.ts'
import type { StateView } from '../../evm/types.ts'
import type { ChainRules } from '../executed.ts'
import {
  decidedHeights,
  decidedRules,
  decisionFor,
  hardforkOf,
  KNOWN_RULES,
  startOf,
} from './decided.ts'

type ForkRules = Pick<ChainRules, 'hardfork' | 'upgrades' | 'staking'>

/** A fork and the height of the first block that follows it; genesis is 0. */
export type ForkStart = { readonly hardfork: Hardfork; readonly height: number }

const newerOf = (a: Hardfork, b: Hardfork): Hardfork => (includesFork({ hardfork: a }, b) ? a : b)

function plannedStarts({ hardfork, upgrades = [] }: ForkRules): readonly ForkStart[] {
  const later = upgrades.flatMap(({ height, hardfork: next }) =>
    next === undefined ? [] : [{ hardfork: next, height }],
  )
  return [{ hardfork: hardfork ?? GENESIS_HARDFORK, height: 0 }, ...later]
}

/** The fork of the block at a height. `state`: the one before that block, or after it. */
export function hardforkAt(
  rules: ForkRules,
  state: Pick<StateView, 'storage'>,
  height: number,
): Hardfork {
  // Most chains have the newest fork from genesis on, and this is called often: nothing is read then.
  if ((rules.hardfork ?? GENESIS_HARDFORK) === LATEST_HARDFORK) return LATEST_HARDFORK
  const planned = plannedStarts(rules)
    .filter((start) => start.height <= height)
    .map(({ hardfork }) => hardfork)
    .reduce(newerOf)
  if (planned === LATEST_HARDFORK || rules.staking === undefined) return planned
  const decided = [decidedRules(state), decisionFor(state, height)?.rules ?? 0n]
  return decided
    .filter((version) => version > 0n)
    .map(hardforkOf)
    .reduce(newerOf, planned)
}

function decidedStarts(state: Pick<StateView, 'storage'>): readonly ForkStart[] {
  const begun = CHAIN_HARDFORKS.flatMap((hardfork, index) => {
    const height = startOf(state, BigInt(index + 1))
    return height === undefined ? [] : [{ hardfork, height }]
  })
  const toCome = decidedHeights(state).flatMap((height) => {
    const version = decisionFor(state, height)?.rules ?? 0n
    if (version === 0n || version > KNOWN_RULES) return []
    return [{ hardfork: hardforkOf(version), height }]
  })
  return [...begun, ...toCome]
}

/** All forks of a chain according to a state, including future ones, by height. The first is active from genesis on. */
export function forkSchedule(
  rules: ForkRules,
  state: Pick<StateView, 'storage'>,
): readonly ForkStart[] {
  const starts = [
    ...plannedStarts(rules),
    ...(rules.staking === undefined ? [] : decidedStarts(state)),
  ].toSorted((a, b) => a.height - b.height)
  const schedule: ForkStart[] = []
  for (const start of starts) {
    const last = schedule.at(-1)
    // One older than the active fork changes nothing.
    if (last === undefined || !includesFork(last, start.hardfork)) schedule.push(start)
  }
  return schedule
}
