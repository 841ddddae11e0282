/** Which rules a transition follows. A chain of ours is always at Osaka (D19); state tests also run older forks, back to Berlin. */

/** The forks whose rules differ, the oldest first. */
export const HARDFORKS = [
  'berlin',
  'london',
  'paris',
  'shanghai',
  'cancun',
  'prague',
  'osaka',
] as const

export type Hardfork = (typeof HARDFORKS)[number]

/** Whether the rules include those of `fork`. */
export function includesFork(rules: { readonly hardfork: Hardfork }, fork: Hardfork): boolean {
  return HARDFORKS.indexOf(rules.hardfork) >= HARDFORKS.indexOf(fork)
}

/** Parameters of the state transition. */
export type TransitionRules = {
  readonly hardfork: Hardfork
  /** Who gets the base fee: nobody (Ethereum), or the coinbase together with the tip (D18). */
  readonly baseFeeSink: 'burned' | 'coinbase'
}
