/** Slows the guessing of passphrases (D43): attempts at one account wait for each other, and longer after each failure. */
import { toHexDigits } from '../base/hex.ts'
import type { MonotonicClock } from './clock.ts'
import { AccountError } from './errors.ts'

/** Runs an attempt at an account's passphrase when its turn has come. */
export type Attempts = <T>(address: Uint8Array, attempt: () => Promise<T>) => Promise<T>

const FIRST_DELAY_MS = 125
const MAX_DELAY_MS = 2_000

type State = { failures: number; last: Promise<unknown>; waiting: number }

/** No failures so far. An account is never locked out: its delay stays at two seconds. */
export function createAttempts(clock: MonotonicClock): Attempts {
  const states = new Map<string, State>()

  async function tryOnce<T>(state: State, attempt: () => Promise<T>): Promise<T> {
    try {
      const result = await attempt()
      state.failures = 0
      return result
    } catch (error) {
      if (error instanceof AccountError && error.code === 'wrong-passphrase')
        await clock.sleep(Math.min(FIRST_DELAY_MS * 2 ** state.failures++, MAX_DELAY_MS))
      throw error
    }
  }

  return async (address, attempt) => {
    const account = toHexDigits(address)
    const state = states.get(account) ?? { failures: 0, last: Promise.resolve(), waiting: 0 }
    states.set(account, state)
    state.waiting++
    const turn = state.last.then(
      () => tryOnce(state, attempt),
      () => tryOnce(state, attempt),
    )
    state.last = turn
    try {
      return await turn
    } finally {
      if (--state.waiting === 0 && state.failures === 0) states.delete(account)
    }
  }
}
