/** From the effects of a block to everything that its commit writes about the state, and the root. Nothing is written here. */
import { compareBytes, EMPTY_BYTES, equalBytes, trimLeft } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import type { AccountEffect, Effects } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { endOfPrefix, type KvTable } from '../../store/kv.ts'
import type { ChainTables } from '../tables.ts'
import type { StateTrie, StorageCandidate, TrieCandidate } from '../trie/stateTrie.ts'
import type { TrieChange } from '../trie/changes.ts'
import { encodeAccountLeaf, encodeAccountRecord, storageRootOf } from './accountRecord.ts'
import { isAccountKey, keyText, slotKey, slotOfKey } from './flatKey.ts'

/** A value of the flat state before and after; empty where there is none. */
export type FlatChange = {
  readonly key: Uint8Array
  readonly old: Uint8Array
  readonly value: Uint8Array
}

/** The next state: what to write, and the trie to adopt then. */
export type StagedState = {
  readonly trie: TrieCandidate
  /** Accounts and slots that really change, sorted by key. */
  readonly changes: readonly FlatChange[]
  readonly codes: readonly { readonly hash: Uint8Array; readonly code: Uint8Array }[]
}

/** What stands in the table under all slots of an account. */
function allSlots(slots: KvTable, address: Uint8Array): FlatChange[] {
  const end = endOfPrefix(address)
  const entries = slots.range({ start: address, ...(end && { end }) })
  return Array.from(entries, ({ key, value }) => ({ key, old: value, value: EMPTY_BYTES }))
}

/** The slots that an effect changes. A cleared storage loses the old ones that are not written again. */
function slotChanges(
  slots: KvTable,
  effect: AccountEffect,
  isCleared: boolean,
): readonly FlatChange[] {
  const changes = new Map<string, FlatChange>()
  if (isCleared)
    for (const change of allSlots(slots, effect.address)) changes.set(keyText(change.key), change)
  // An account that does not exist any more keeps nothing.
  for (const [slot, word] of effect.account === undefined ? [] : effect.storage) {
    const key = slotKey(effect.address, fromHex(slot))
    const text = keyText(key)
    const old = isCleared
      ? (changes.get(text)?.old ?? EMPTY_BYTES)
      : (slots.get(key) ?? EMPTY_BYTES)
    const value = trimLeft(word)
    changes.set(text, { key, old, value })
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

type StagedAccount = {
  readonly account: FlatChange
  readonly slots: readonly FlatChange[]
  readonly leaf: TrieChange
  readonly storage: StorageCandidate | undefined
}

function stageAccount(tables: ChainTables, trie: StateTrie, effect: AccountEffect): StagedAccount {
  const { address, account } = effect
  const old = tables.accounts.get(address) ?? EMPTY_BYTES
  const oldRoot = storageRootOf(old)
  const isNew =
    (effect.storageCleared || account === undefined) && !equalBytes(oldRoot, EMPTY_TRIE_ROOT)
  const slots = slotChanges(tables.slots, effect, isNew)
  const leaves = storageLeaves(slots, isNew)
  const storage =
    isNew || leaves.length > 0 ? trie.stageStorage(address, oldRoot, leaves, isNew) : undefined
  const next = account && { ...account, storageRoot: storage?.rootHash ?? oldRoot }
  return {
    account: { key: address, old, value: next ? encodeAccountRecord(next) : EMPTY_BYTES },
    slots,
    leaf: { key: keccak256(address), value: next && encodeAccountLeaf(next) },
    storage,
  }
}

/** The state after the effects, on top of the state that the tables and the trie hold. */
export function stageEffects(tables: ChainTables, trie: StateTrie, effects: Effects): StagedState {
  const changes: FlatChange[] = []
  const leaves: TrieChange[] = []
  const storages = new Map<string, StorageCandidate>()
  const codes: { hash: Uint8Array; code: Uint8Array }[] = []
  for (const [addressHex, effect] of effects) {
    const staged = stageAccount(tables, trie, effect)
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
    changes: changes.sort((a, b) => compareBytes(a.key, b.key)),
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
