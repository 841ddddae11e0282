// The forks whose rules differ, and which of them is active.
//
// Our chains begin with the newest one: older ones are for the state tests that list them. Before Berlin, access to
// accounts and slots has entirely different prices.

export const BERLIN: u32 = 0
export const LONDON: u32 = 1
export const PARIS: u32 = 2
export const SHANGHAI: u32 = 3
export const CANCUN: u32 = 4
export const PRAGUE: u32 = 5
export const OSAKA: u32 = 6

let current: u32 = OSAKA

/** Activates a fork. */
export function setFork(fork: u32): void {
  current = fork
}

/** Whether the rules of a fork are active. */
@inline
export function includes(fork: u32): bool {
  return current >= fork
}
