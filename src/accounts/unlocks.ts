/**
 * Unlocked accounts (interface.md, "States and transitions"): an account is locked until its key is held here, and
 * locked again when the time is up or on request. A key is wiped when it is removed.
 */
import type { Clock } from '../base/clock.ts'
import { toHexDigits } from '../base/hex.ts'

export type Unlocks = {
  /**
   * Holds a key, taking ownership of its bytes, for `milliseconds` (undefined: until exit). Unlocking again changes the
   * end, except that an unlock until exit remains one, as in go-ethereum.
   */
  unlock(
    address: Uint8Array,
    holder: string,
    key: Uint8Array,
    milliseconds: number | undefined,
  ): void
  /** The key, or undefined when the account is locked for this holder. Do not keep it. */
  keyOf(address: Uint8Array, holder: string): Uint8Array | undefined
  /** Locks an account for all holders. */
  lock(address: Uint8Array): void
  lockAll(): void
}

type Held = { readonly key: Uint8Array; readonly end: number; readonly cancel: () => void }

/** An empty table: every account is locked. */
export function createUnlocks(clock: Pick<Clock, 'monotonic' | 'setTimer'>): Unlocks {
  const accounts = new Map<string, Map<string, Held>>()

  function release(address: string, holder: string): void {
    const held = accounts.get(address)?.get(holder)
    if (held === undefined) return
    held.cancel()
    held.key.fill(0)
    accounts.get(address)?.delete(holder)
    if (accounts.get(address)?.size === 0) accounts.delete(address)
  }

  function lock(address: string): void {
    for (const holder of accounts.get(address)?.keys() ?? []) release(address, holder)
  }

  return {
    unlock(address, holder, key, milliseconds) {
      const account = toHexDigits(address)
      const held = accounts.get(account)?.get(holder)
      if (held?.end === Number.POSITIVE_INFINITY) {
        key.fill(0)
        return
      }
      release(account, holder)
      const isTimed = milliseconds !== undefined
      const end = isTimed ? clock.monotonic() + milliseconds : Number.POSITIVE_INFINITY
      const cancel = isTimed
        ? clock.setTimer(milliseconds, () => release(account, holder))
        : () => undefined
      const holders = accounts.get(account) ?? new Map<string, Held>()
      holders.set(holder, { key, end, cancel })
      accounts.set(account, holders)
    },
    keyOf(address, holder) {
      const account = toHexDigits(address)
      const held = accounts.get(account)?.get(holder)
      if (held === undefined || held.end > clock.monotonic()) return held?.key
      // Timers may be late: the end time counts, not the timer.
      release(account, holder)
      return undefined
    },
    lock: (address) => lock(toHexDigits(address)),
    lockAll() {
      for (const account of accounts.keys()) lock(account)
    },
  }
}
