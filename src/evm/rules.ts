/** Which rules a transition follows. A chain of ours is always at Osaka (D19); state tests also run older forks. */

export type Hardfork = 'cancun' | 'prague' | 'osaka'

const ORDER: readonly Hardfork[] = ['cancun', 'prague', 'osaka']

/** Whether the rules include those of `fork`. */
export function includesFork(rules: { readonly hardfork: Hardfork }, fork: Hardfork): boolean {
  return ORDER.indexOf(rules.hardfork) >= ORDER.indexOf(fork)
}

/** Parameters of the state transition. */
export type TransitionRules = {
  readonly hardfork: Hardfork
  /** Who gets the base fee: nobody (Ethereum), or the coinbase together with the tip (D18). */
  readonly baseFeeSink: 'burned' | 'coinbase'
}
