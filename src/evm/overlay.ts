/** Changes over a state that is itself not written to: what a transaction sees of its own, a block of its transactions. */
import { equalBytes } from '../base/bytes.ts'
import { toHexDigits } from '../base/hex.ts'
import type { Account, AccountEffect, Effects, StateView } from './types.ts'

/**
 * A state view with changes that collect in it. `hasStorage` may stay true when the last slot of the state below was
 * zeroed: it only matters for accounts without code and nonce (EIP-7610), which cannot write slots.
 */
export type Overlay = StateView & {
  /** Lays changes over the present ones. */
  apply(effects: Effects): void
  /** Everything that was applied, merged. A view: it changes with the next `apply`. */
  effects(): Effects
}

type Entry = {
  readonly address: Uint8Array
  account: Account | undefined
  code?: Uint8Array
  storageCleared: boolean
  storage: Map<string, Uint8Array>
}

const ZERO_WORD = new Uint8Array(32)

function isZero(word: Uint8Array): boolean {
  return word.every((byte) => byte === 0)
}

function hasSameCode(a: Account | undefined, b: Account | undefined): boolean {
  return a !== undefined && b !== undefined && equalBytes(a.codeHash, b.codeHash)
}

function merge(entry: Entry, effect: AccountEffect): void {
  // Code that was laid down before goes with the account's code hash, for example when a delegation is revoked.
  if (effect.code !== undefined) entry.code = effect.code
  else if (!hasSameCode(entry.account, effect.account)) delete entry.code
  entry.account = effect.account
  if (effect.storageCleared) {
    entry.storageCleared = true
    entry.storage = new Map()
  }
  for (const [slot, value] of effect.storage) entry.storage.set(slot, value)
}

/** An overlay without changes over a state. */
export function overlay(state: StateView): Overlay {
  const entries = new Map<string, Entry>()
  const codes = new Map<string, Uint8Array>()
  const entryOf = (address: Uint8Array): Entry | undefined =>
    entries.size === 0 ? undefined : entries.get(toHexDigits(address))
  return {
    account(address) {
      const entry = entryOf(address)
      return entry === undefined ? state.account(address) : entry.account
    },
    code(codeHash) {
      return (codes.size > 0 ? codes.get(toHexDigits(codeHash)) : undefined) ?? state.code(codeHash)
    },
    storage(address, slot) {
      const entry = entryOf(address)
      if (entry === undefined) return state.storage(address, slot)
      const written = entry.storage.get(toHexDigits(slot))
      return written ?? (entry.storageCleared ? ZERO_WORD : state.storage(address, slot))
    },
    hasStorage(address) {
      const entry = entryOf(address)
      if (entry === undefined) return state.hasStorage(address)
      for (const value of entry.storage.values()) if (!isZero(value)) return true
      return !entry.storageCleared && state.hasStorage(address)
    },
    apply(effects) {
      for (const [key, effect] of effects) {
        let entry = entries.get(key)
        if (entry === undefined) {
          entry = {
            address: effect.address,
            account: undefined,
            storageCleared: false,
            storage: new Map(),
          }
          entries.set(key, entry)
        }
        merge(entry, effect)
        if (effect.code !== undefined && effect.account !== undefined)
          codes.set(toHexDigits(effect.account.codeHash), effect.code)
      }
    },
    effects: () => entries,
  }
}

/** The effect of replacing an account's fields only. */
export function accountEffect(
  address: Uint8Array,
  account: Account | undefined,
  code?: Uint8Array,
): readonly [string, AccountEffect] {
  return [
    toHexDigits(address),
    {
      address,
      account,
      storageCleared: false,
      storage: new Map(),
      ...(code !== undefined && { code }),
    },
  ]
}
