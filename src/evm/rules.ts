/**
 * The forks of Ethereum that the EVM knows. Which of them is active in a block is part of the block's environment; our
 * chains begin at Cancun or later (D19), state tests also run older ones, back to Berlin.
 */

/** Oldest first: each includes the ones before. */
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

/** Those that our chains may follow, oldest first. The validators count them from 1 (docs/upgrades.md). */
export const CHAIN_HARDFORKS = ['cancun', 'prague', 'osaka'] as const satisfies readonly Hardfork[]

/** The last of them. */
export const LATEST_HARDFORK: Hardfork = CHAIN_HARDFORKS[CHAIN_HARDFORKS.length - 1] ?? 'osaka'

/**
 * What a chain begins with whose genesis names no fork (D19). A later program must not change it: chains that began so would
 * be others.
 */
export const GENESIS_HARDFORK: Hardfork = 'osaka'

/** Whether the rules of a block, or anything else that has a fork, include those of `fork`. */
export function includesFork(rules: { readonly hardfork: Hardfork }, fork: Hardfork): boolean {
  return HARDFORKS.indexOf(rules.hardfork) >= HARDFORKS.indexOf(fork)
}

/** Parameters of the state transition that do not depend on the fork. */
export type TransitionRules = {
  /** Who gets the base fee: no account (Ethereum), or the coinbase together with the tip (D18). */
  readonly baseFeeSink: 'burned' | 'coinbase'
}
