/** From the effects of a block to everything that its commit writes about the state, and the root. Nothing is written here. */
import { EMPTY_BYTES, equalBytes, trimLeft } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import type { Account, AccountEffect, Effects } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { endOfPrefix, type KvTable } from '../../store/kv.ts'
import type { ChainTables } from '../tables.ts'
import type { StateTrie, StorageCandidate, TrieCandidate } from '../trie/stateTrie.ts'
import type { TrieChange } from '../trie/changes.ts'
import { sortByKey } from '../trie/sortByKey.ts'
import { encodeAccountLeaf, encodeAccountRecord, type StoredAccount } from './accountRecord.ts'
import { accountEntry, slotEntry, type FlatEntry, type LatestState } from './latest.ts'
import { isAccountKey, keyText, slotKey, slotOfKey } from './flatKey.ts'

/** A value of the flat state before and after; empty where there is none. */
export type FlatChange = {
  readonly key: Uint8Array
  readonly old: Uint8Array
  readonly value: Uint8Array
  /** The value as the latest state gives it after the commit. */
  readonly entry: FlatEntry
}

/** The next state: what to write, and the trie to adopt then. */
export type StagedState = {
  readonly trie: TrieCandidate
  /** Accounts and slots that really change, sorted by key. */
  readonly changes: readonly FlatChange[]
  readonly codes: readonly { readonly hash: Uint8Array; readonly code: Uint8Array }[]
}

function slotChange(key: Uint8Array, old: Uint8Array, value: Uint8Array): FlatChange {
  return { key, old, value, entry: slotEntry(value) }
}

/** What stands in the table under all slots of an account. */
function allSlots(slots: KvTable, address: Uint8Array): FlatChange[] {
  const end = endOfPrefix(address)
  const entries = slots.range({ start: address, ...(end && { end }) })
  return Array.from(entries, ({ key, value }) => slotChange(key, value, EMPTY_BYTES))
}

const NO_CHANGES: readonly FlatChange[] = []

/** The slots that an effect changes. A cleared storage loses the old ones that are not written again. */
function slotChanges(
  slots: KvTable,
  latest: LatestState,
  effect: AccountEffect,
  isCleared: boolean,
): readonly FlatChange[] {
  if (!isCleared && effect.storage.size === 0) return NO_CHANGES
  const changes = new Map<string, FlatChange>()
  if (isCleared)
    for (const change of allSlots(slots, effect.address)) changes.set(keyText(change.key), change)
  // An account that does not exist any more keeps nothing.
  for (const [slot, word] of effect.account === undefined ? [] : effect.storage) {
    const key = slotKey(effect.address, fromHex(slot))
    const text = keyText(key)
    const old = isCleared ? (changes.get(text)?.old ?? EMPTY_BYTES) : latest.entry(key).record
    // A copy, which is kept for longer than what the word is part of.
    changes.set(text, slotChange(key, old, trimLeft(word).slice()))
  }
  return [...changes.values()]
}

/** The storage leaves that lead from the old trie (or from none) to the new one. */
function storageLeaves(changes: readonly FlatChange[], isNew: boolean): TrieChange[] {
  const relevant = changes.filter(({ old, value }) =>
    isNew ? value.length > 0 : !equalBytes(old, value),
  )
  return relevant.map(({ key, value }) => ({
    key: keccak256(slotOfKey(key)),
    value: value.length === 0 ? undefined : encodeRlpBytes(value),
  }))
}

function withStorageRoot(
  { nonce, balance, codeHash }: Account,
  storageRoot: Uint8Array,
): StoredAccount {
  return { nonce, balance, codeHash, storageRoot }
}

type StagedAccount = {
  readonly account: FlatChange
  readonly slots: readonly FlatChange[]
  readonly leaf: TrieChange
  readonly storage: StorageCandidate | undefined
}

function stageAccount(
  tables: ChainTables,
  latest: LatestState,
  trie: StateTrie,
  effect: AccountEffect,
): StagedAccount {
  const { address, account } = effect
  const { record: old, account: before } = latest.entry(address)
  const oldRoot = before?.storageRoot ?? EMPTY_TRIE_ROOT
  const isNew =
    (effect.storageCleared || account === undefined) && !equalBytes(oldRoot, EMPTY_TRIE_ROOT)
  const slots = slotChanges(tables.slots, latest, effect, isNew)
  const leaves = storageLeaves(slots, isNew)
  const storage =
    isNew || leaves.length > 0 ? trie.stageStorage(address, oldRoot, leaves, isNew) : undefined
  const next = account && withStorageRoot(account, storage?.rootHash ?? oldRoot)
  const value = next ? encodeAccountRecord(next) : EMPTY_BYTES
  return {
    account: { key: address, old, value, entry: accountEntry(value, next) },
    slots,
    leaf: { key: keccak256(address), value: next && encodeAccountLeaf(next) },
    storage,
  }
}

/** The state after the effects, on top of the state that the tables and the trie hold. */
export function stageEffects(
  tables: ChainTables,
  latest: LatestState,
  trie: StateTrie,
  effects: Effects,
): StagedState {
  const changes: FlatChange[] = []
  const leaves: TrieChange[] = []
  const storages = new Map<string, StorageCandidate>()
  const codes: { hash: Uint8Array; code: Uint8Array }[] = []
  for (const [addressHex, effect] of effects) {
    const staged = stageAccount(tables, latest, trie, effect)
    for (const slot of staged.slots) if (!equalBytes(slot.old, slot.value)) changes.push(slot)
    if (staged.storage !== undefined) storages.set(addressHex, staged.storage)
    if (effect.code !== undefined && effect.account !== undefined)
      codes.push({ hash: effect.account.codeHash, code: effect.code })
    if (equalBytes(staged.account.old, staged.account.value)) continue
    changes.push(staged.account)
    leaves.push(staged.leaf)
  }
  return {
    trie: trie.stageAccounts(leaves, storages),
    changes: sortByKey(changes),
    codes,
  }
}

/** Writes the flat values, inside a write transaction. */
export function writeFlatState(tables: ChainTables, { changes, codes }: StagedState): void {
  for (const { key, value } of changes) {
    const table = isAccountKey(key) ? tables.accounts : tables.slots
    if (value.length === 0) table.remove(key)
    else table.put(key, value)
  }
  for (const { hash, code } of codes) tables.codes.put(hash, code)
}
