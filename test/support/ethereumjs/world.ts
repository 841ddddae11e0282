/**
 * The journaled state that @ethereumjs/evm works on: reads through to a StateView, keeps writes, and returns them as
 * effects.
 */
import type { StateManagerInterface } from '@ethereumjs/common'
import { Account as EvmAccount, type Address } from '@ethereumjs/util'
import { EMPTY_BYTES, equalBytes } from '../../../src/base/bytes.ts'
import { fromHex, toHexDigits } from '../../../src/base/hex.ts'
import { keccak256 } from '../../../src/base/keccak.ts'
import { storedBlockHash } from '../../../src/evm/blockHashes.ts'
import { emptyState } from '../../../src/evm/emptyState.ts'
import {
  EMPTY_CODE_HASH,
  type Account,
  type AccountEffect,
  type Effects,
  type StateView,
} from '../../../src/evm/types.ts'

/** The part of the state manager that the interpreter calls. */
export type EvmState = Pick<
  StateManagerInterface,
  | 'getAccount'
  | 'putAccount'
  | 'deleteAccount'
  | 'modifyAccountFields'
  | 'putCode'
  | 'getCode'
  | 'getCodeSize'
  | 'getStorage'
  | 'putStorage'
  | 'clearStorage'
  | 'checkpoint'
  | 'commit'
  | 'revert'
  | 'originalStorageCache'
>

/** What happened to one account so far. */
type Entry = {
  readonly address: Uint8Array
  account: Account | undefined
  code: Uint8Array | undefined
  cleared: boolean
  storage: Map<string, Uint8Array>
}

export type World = {
  readonly evmState: EvmState
  /** Forgets everything and reads from this view from now on. */
  open(view: StateView): void
  /** The hash that BLOCKHASH returns for a height. */
  blockHash(height: number): Uint8Array
  /** Removes an account with everything in it, at the end of a transaction (EIP-6780). */
  destroy(address: Uint8Array): void
  /** All differences from the view. */
  effects(): Effects
}

/** Stands for "some storage": only compared with the root of empty storage (EIP-7610). */
const SOME_STORAGE_ROOT = new Uint8Array(32)

const ZERO_WORD = new Uint8Array(32)

function hasNoCode({ codeHash }: Account): boolean {
  return equalBytes(codeHash, EMPTY_CODE_HASH)
}

function isSameAccount(a: Account | undefined, b: Account | undefined): boolean {
  if (a === undefined || b === undefined) return a === b
  return a.nonce === b.nonce && a.balance === b.balance && equalBytes(a.codeHash, b.codeHash)
}

function word(bytes: Uint8Array): Uint8Array {
  if (bytes.length === 32) return bytes
  const out = new Uint8Array(32)
  out.set(bytes, 32 - bytes.length)
  return out
}

/** A journal over an empty state; `open` gives it another one. */
export function createWorld(): World {
  let view = emptyState
  const entries = new Map<string, Entry>()
  const undo: (() => void)[] = []
  const checkpoints: number[] = []

  function entryOf(address: Uint8Array): Entry {
    const key = toHexDigits(address)
    let entry = entries.get(key)
    if (entry === undefined) {
      const account = view.account(address)
      entry = { address, account, code: undefined, cleared: false, storage: new Map() }
      entries.set(key, entry)
    }
    return entry
  }

  function change(entry: Entry, fields: Partial<Entry>): void {
    const { account, code, cleared, storage } = entry
    undo.push(() => Object.assign(entry, { account, code, cleared, storage }))
    Object.assign(entry, fields)
  }

  function writeSlot(storage: Map<string, Uint8Array>, key: string, value: Uint8Array): void {
    const previous = storage.get(key)
    undo.push(() => (previous === undefined ? storage.delete(key) : storage.set(key, previous)))
    storage.set(key, value)
  }

  function toEvmAccount({ account, address, cleared }: Entry): EvmAccount | undefined {
    if (account === undefined) return undefined
    const mayBeCreatedOver = account.nonce === 0n && hasNoCode(account) && !cleared
    const storageRoot = mayBeCreatedOver && view.hasStorage(address) ? SOME_STORAGE_ROOT : undefined
    return new EvmAccount(account.nonce, account.balance, storageRoot, account.codeHash)
  }

  function codeOf({ account, code }: Entry): Uint8Array {
    if (account === undefined || hasNoCode(account)) return EMPTY_BYTES
    return code ?? view.code(account.codeHash)
  }

  function storageOf(entry: Entry, slot: Uint8Array): Uint8Array {
    const written = entry.storage.get(toHexDigits(slot))
    return written ?? (entry.cleared ? ZERO_WORD : view.storage(entry.address, slot))
  }

  function clear(entry: Entry): void {
    const cleared = entry.cleared || view.hasStorage(entry.address)
    if (cleared !== entry.cleared || entry.storage.size > 0)
      change(entry, { cleared, storage: new Map() })
  }

  const evmState: EvmState = {
    getAccount: async (address: Address) => toEvmAccount(entryOf(address.bytes)),
    putAccount: async (address, account) => {
      change(entryOf(address.bytes), {
        account: account && {
          nonce: account.nonce,
          balance: account.balance,
          codeHash: account.codeHash,
        },
      })
    },
    deleteAccount: async (address) => change(entryOf(address.bytes), { account: undefined }),
    modifyAccountFields: async (address, fields) => {
      const entry = entryOf(address.bytes)
      const account = entry.account ?? { nonce: 0n, balance: 0n, codeHash: EMPTY_CODE_HASH }
      change(entry, {
        account: {
          nonce: fields.nonce ?? account.nonce,
          balance: fields.balance ?? account.balance,
          codeHash: fields.codeHash ?? account.codeHash,
        },
      })
    },
    putCode: async (address, code) => {
      const entry = entryOf(address.bytes)
      const account = entry.account ?? { nonce: 0n, balance: 0n }
      change(entry, { code, account: { ...account, codeHash: keccak256(code) } })
    },
    getCode: async (address) => codeOf(entryOf(address.bytes)),
    getCodeSize: async (address) => codeOf(entryOf(address.bytes)).length,
    getStorage: async (address, slot) => storageOf(entryOf(address.bytes), slot),
    putStorage: async (address, slot, value) => {
      writeSlot(entryOf(address.bytes).storage, toHexDigits(slot), word(value))
    },
    clearStorage: async (address) => clear(entryOf(address.bytes)),
    checkpoint: async () => {
      checkpoints.push(undo.length)
    },
    commit: async () => {
      checkpoints.pop()
    },
    revert: async () => {
      const length = checkpoints.pop() ?? 0
      while (undo.length > length) undo.pop()?.()
    },
    originalStorageCache: {
      get: async (address, slot) => view.storage(address.bytes, slot),
      clear: () => undefined,
    },
  }

  function effectOf(entry: Entry): AccountEffect | undefined {
    const { address, account, code, cleared } = entry
    const storage = new Map<string, Uint8Array>()
    for (const [slot, value] of entry.storage) {
      const before = cleared ? ZERO_WORD : view.storage(address, fromHex(slot))
      if (!equalBytes(before, value)) storage.set(slot, value)
    }
    const isUnchanged =
      !cleared && storage.size === 0 && isSameAccount(account, view.account(address))
    if (isUnchanged) return undefined
    return {
      address,
      account,
      storageCleared: cleared,
      storage,
      ...(code !== undefined && account !== undefined && { code }),
    }
  }

  return {
    evmState,
    open(next) {
      view = next
      entries.clear()
      undo.length = 0
      checkpoints.length = 0
    },
    blockHash: (height) => storedBlockHash(view, height),
    destroy(address) {
      Object.assign(entryOf(address), { account: undefined, cleared: true, storage: new Map() })
    },
    effects() {
      const effects = new Map<string, AccountEffect>()
      for (const [key, entry] of entries) {
        const effect = effectOf(entry)
        if (effect !== undefined) effects.set(key, effect)
      }
      return effects
    },
  }
}
