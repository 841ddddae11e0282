/**
 * Changes over a state that is itself not written to: a transaction sees its own changes, a block those of its
 * transactions.
 */
import { addressDigits } from '../base/addressDigits.ts'
import { equalBytes } from '../base/bytes.ts'
import { toHexDigits } from '../base/hex.ts'
import type { Account, AccountEffect, Effects, StateView } from './types.ts'

/**
 * A state view that accumulates changes. `hasStorage` may stay true when the last slot of the state below was
 * zeroed: it only matters for accounts without code and nonce (EIP-7610), which cannot write slots.
 */
export type Overlay = StateView & {
  /** Overrides the current account; undefined if it no longer exists. Its storage is kept. */
  setAccount(address: Uint8Array, account: Account | undefined, code?: Uint8Array): void
  /** Applies changes on top of the current ones. */
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
// Most changed accounts keep their storage. This shared map is never written to.
const NO_STORAGE: Map<string, Uint8Array> = new Map()

function isZero(word: Uint8Array): boolean {
  return word.every((byte) => byte === 0)
}

function hasSameCode(a: Account | undefined, b: Account | undefined): boolean {
  if (a === undefined || b === undefined) return false
  return a.codeHash === b.codeHash || equalBytes(a.codeHash, b.codeHash)
}

function replaceAccount(entry: Entry, account: Account | undefined, code?: Uint8Array): void {
  // Code that was set before is dropped along with the account's code hash, for example when a delegation is revoked.
  if (code !== undefined) entry.code = code
  else if (entry.code !== undefined && !hasSameCode(entry.account, account)) delete entry.code
  entry.account = account
}

function writeSlots(entry: Entry, { storageCleared, storage }: AccountEffect): void {
  if (storageCleared) {
    entry.storageCleared = true
    entry.storage = NO_STORAGE
  }
  if (storage.size === 0) return
  if (entry.storage === NO_STORAGE) entry.storage = new Map(storage)
  else for (const [slot, value] of storage) entry.storage.set(slot, value)
}

/** An overlay without changes over a state. */
export function overlay(state: StateView): Overlay {
  const entries = new Map<string, Entry>()
  /** Code that was set; most transactions set none. */
  let codes: Map<string, Uint8Array> | undefined
  let hasStorageChanges = false
  const entryOf = (address: Uint8Array): Entry | undefined =>
    entries.size === 0 ? undefined : entries.get(addressDigits(address))

  function lay(
    key: string,
    address: Uint8Array,
    account: Account | undefined,
    code: Uint8Array | undefined,
  ): Entry {
    let entry = entries.get(key)
    if (entry === undefined) {
      entry = { address, account: undefined, storageCleared: false, storage: NO_STORAGE }
      entries.set(key, entry)
    }
    replaceAccount(entry, account, code)
    if (code !== undefined && account !== undefined) {
      codes ??= new Map()
      codes.set(toHexDigits(account.codeHash), code)
    }
    return entry
  }

  return {
    account(address) {
      const entry = entryOf(address)
      return entry === undefined ? state.account(address) : entry.account
    },
    code(codeHash) {
      return codes?.get(toHexDigits(codeHash)) ?? state.code(codeHash)
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
    setAccount(address, account, code) {
      lay(addressDigits(address), address, account, code)
    },
    storageIdentity: () => (hasStorageChanges ? undefined : state.storageIdentity?.()),
    apply(effects) {
      for (const [key, effect] of effects) {
        if (effect.storageCleared || effect.storage.size > 0) hasStorageChanges = true
        writeSlots(lay(key, effect.address, effect.account, effect.code), effect)
      }
    },
    effects: () => entries,
  }
}
