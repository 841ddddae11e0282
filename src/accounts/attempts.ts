/**
 * Slows the guessing of passphrases (D43): attempts at one account run one at a time, with a longer delay after each
 * failure.
 */
import type { Clock } from '../base/clock.ts'
import { toHexDigits } from '../base/hex.ts'
import { createKeyedQueue } from '../base/keyedQueue.ts'
import { AccountError } from './errors.ts'

/** Runs an attempt at an account's passphrase when it is its turn. */
export type Attempts = <T>(address: Uint8Array, attempt: () => Promise<T>) => Promise<T>

const FIRST_DELAY_MS = 125
const MAX_DELAY_MS = 2_000

/** No failures so far. An account is never locked out: its delay is at most two seconds. */
export function createAttempts(clock: Pick<Clock, 'sleep'>): Attempts {
  const queue = createKeyedQueue()
  const failures = new Map<string, number>()

  return (address, attempt) => {
    const account = toHexDigits(address)
    return queue.run(account, async () => {
      try {
        const result = await attempt()
        failures.delete(account)
        return result
      } catch (error) {
        if (error instanceof AccountError && error.code === 'wrong-passphrase') {
          const count = failures.get(account) ?? 0
          failures.set(account, count + 1)
          await clock.sleep(Math.min(FIRST_DELAY_MS * 2 ** count, MAX_DELAY_MS))
        }
        throw error
      }
    })
  }
}
