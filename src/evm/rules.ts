/**
 * The forks of Ethereum that the EVM knows. Which of them holds in a block is part of the block's environment; a chain of ours
 * begins at Cancun or later (D19), state tests also run older ones, back to Berlin.
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

/** Those that a chain of ours may follow, oldest first. The validators count them from 1 (docs/upgrades.md). */
export const CHAIN_HARDFORKS = ['cancun', 'prague', 'osaka'] as const satisfies readonly Hardfork[]

/** The last of them. A new chain has it from genesis on (D19). */
export const NEWEST_HARDFORK: Hardfork = 'osaka'

/** Whether the rules of a block, or whatever else has a fork, include those of `fork`. */
export function includesFork(rules: { readonly hardfork: Hardfork }, fork: Hardfork): boolean {
  return HARDFORKS.indexOf(rules.hardfork) >= HARDFORKS.indexOf(fork)
}

/** Parameters of the state transition that no fork settles. */
export type TransitionRules = {
  /** Who gets the base fee: nobody (Ethereum), or the coinbase together with the tip (D18). */
  readonly baseFeeSink: 'burned' | 'coinbase'
}
