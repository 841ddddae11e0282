/**
 * Turns the effects of a block into the root and everything that its commit writes about the state. Nothing is written
 * here.
 */
import { EMPTY_BYTES, equalBytes, trimLeft } from '../../base/bytes.ts'
import { fromHex } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import type { Steps } from '../../base/steps.ts'
import type { Account, AccountEffect, Effects } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { endOfPrefix } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import type { ChainTables } from '../tables.ts'
import type { StateTrie, StorageCandidate, TrieCandidate } from '../trie/stateTrie.ts'
import type { TrieChange } from '../trie/changes.ts'
import { sortByKey } from '../trie/sortByKey.ts'
import { encodeAccountLeaf, encodeAccountRecord, type StoredAccount } from './accountRecord.ts'
import { accountEntry, slotEntry, type FlatEntry, type LatestState } from './latest.ts'
import { isAccountKey, keyText, slotKey, slotOfKey } from './flatKey.ts'

/** A value of the flat state before and after; empty if there is none. */
export type FlatChange = {
  readonly key: Uint8Array
  readonly old: Uint8Array
  readonly value: Uint8Array
  /** The value's entry in the latest state after the commit. */
  readonly entry: FlatEntry
}

/** The next state: what to write, and the trie to adopt afterwards. */
export type StagedState = {
  readonly trie: TrieCandidate
  /** Accounts and slots whose values change, sorted by key. */
  readonly changes: readonly FlatChange[]
  readonly codes: readonly { readonly hash: Uint8Array; readonly code: Uint8Array }[]
}

function slotChange(key: Uint8Array, old: Uint8Array, value: Uint8Array): FlatChange {
  return { key, old, value, entry: slotEntry(value) }
}

/** The table's entries for all slots of an account. */
function allSlots(slots: KvTable, address: Uint8Array): FlatChange[] {
  const end = endOfPrefix(address)
  const entries = slots.range({ start: address, ...(end && { end }) })
  return Array.from(entries, ({ key, value }) => slotChange(key, value, EMPTY_BYTES))
}

const NO_CHANGES: readonly FlatChange[] = []

/** Number of accounts or slots processed in one step: well below a millisecond's work. */
const VALUES_PER_STEP = 64

/** Number of values written in one step. */
const WRITES_PER_STEP = 256

/** The slots that an effect writes into a storage that is not cleared. */
function* writtenSlots(latest: LatestState, { address, storage }: AccountEffect): SlotSteps {
  const changes: FlatChange[] = []
  for (const [slot, word] of storage) {
    if (changes.length % VALUES_PER_STEP === 0) yield
    const key = slotKey(address, fromHex(slot))
    // A copy, since it outlives the array that the word is part of.
    changes.push(slotChange(key, latest.entry(key).record, trimLeft(word).slice()))
  }
  return changes
}

/** The slots of a cleared storage: old ones that are not written again are removed. */
function* clearedSlots(slots: KvTable, effect: AccountEffect): SlotSteps {
  const { address, account, storage } = effect
  const changes = new Map<string, FlatChange>()
  for (const change of allSlots(slots, address)) changes.set(keyText(change.key), change)
  yield
  // An account that no longer exists keeps nothing.
  for (const [slot, word] of account === undefined ? [] : storage) {
    const key = slotKey(address, fromHex(slot))
    const text = keyText(key)
    const old = changes.get(text)?.old ?? EMPTY_BYTES
    changes.set(text, slotChange(key, old, trimLeft(word).slice()))
  }
  return [...changes.values()]
}

type SlotSteps = Steps<readonly FlatChange[]>

/** The changes of storage leaves from the old trie (or none) to the new one. */
function* storageLeaves(changes: readonly FlatChange[], isNew: boolean): Steps<TrieChange[]> {
  const leaves: TrieChange[] = []
  for (const { key, old, value } of changes) {
    if (isNew ? value.length === 0 : equalBytes(old, value)) continue
    if (leaves.length % VALUES_PER_STEP === 0) yield
    leaves.push({
      key: keccak256(slotOfKey(key)),
      value: value.length === 0 ? undefined : encodeRlpBytes(value),
    })
  }
  return leaves
}

function withStorageRoot(
  { nonce, balance, codeHash }: Account,
  storageRoot: Uint8Array,
): StoredAccount {
  return { nonce, balance, codeHash, storageRoot }
}

type StagedStorage = {
  readonly slots: readonly FlatChange[]
  readonly trie: StorageCandidate | undefined
}

/** What a storage trie is rebuilt from. */
const NO_STORAGE: StorageCandidate = {
  address: EMPTY_BYTES,
  root: undefined,
  rootHash: EMPTY_TRIE_ROOT,
  isNew: true,
  vanished: [],
  changedLeaves: 0,
  bytes: 0,
}

const SAME_STORAGE: StagedStorage = { slots: NO_CHANGES, trie: undefined }

/** The state as it is stored. */
type StoredState = {
  readonly tables: ChainTables
  readonly latest: LatestState
  readonly trie: StateTrie
}

/** Throws KvCorruptionError unless the slots found under an account are all that its storage root stands for (D87). */
function* requireAllSlots(
  { tables, trie }: StoredState,
  address: Uint8Array,
  root: Uint8Array,
  slots: readonly FlatChange[],
): Steps<void> {
  const leaves = slots
    .filter(({ old }) => old.length > 0)
    .map(({ key, old }) => ({ key: keccak256(slotOfKey(key)), value: encodeRlpBytes(old) }))
  const { rootHash } = yield* trie.stageStorage(address, EMPTY_TRIE_ROOT, leaves, true, NO_STORAGE)
  if (equalBytes(rootHash, root)) return
  throw tables.slots.damaged(address, 'and those after it are not the storage of the account')
}

/** The storage of an account after an effect, with its new root; it may have to start from empty. */
function* stageStorage(
  stored: StoredState,
  effect: AccountEffect,
  root: Uint8Array,
  isNew: boolean,
): Steps<StagedStorage> {
  const { tables, latest, trie } = stored
  const slots = yield* isNew ? clearedSlots(tables.slots, effect) : writtenSlots(latest, effect)
  if (isNew) yield* requireAllSlots(stored, effect.address, root, slots)
  const leaves = yield* storageLeaves(slots, isNew)
  if (leaves.length === 0 && !isNew) return { slots, trie: undefined }
  return { slots, trie: yield* trie.stageStorage(effect.address, root, leaves, isNew) }
}

/** The state after the effects, on top of the state that the tables and the trie hold. */
export function* stageEffects(stored: StoredState, effects: Effects): Steps<StagedState> {
  const { latest, trie } = stored
  const changes: FlatChange[] = []
  const leaves: TrieChange[] = []
  const storages = new Map<string, StorageCandidate>()
  const codes: { hash: Uint8Array; code: Uint8Array }[] = []
  for (const [addressHex, effect] of effects) {
    if (leaves.length % VALUES_PER_STEP === 0) yield
    const { address, account, code } = effect
    const { record: old, account: before } = latest.entry(address)
    const root = before?.storageRoot ?? EMPTY_TRIE_ROOT
    const isNew =
      (effect.storageCleared || account === undefined) && !equalBytes(root, EMPTY_TRIE_ROOT)
    const hasSlots = isNew || (account !== undefined && effect.storage.size > 0)
    const storage = hasSlots ? yield* stageStorage(stored, effect, root, isNew) : SAME_STORAGE
    for (const slot of storage.slots) if (!equalBytes(slot.old, slot.value)) changes.push(slot)
    if (storage.trie !== undefined) storages.set(addressHex, storage.trie)
    if (code !== undefined && account !== undefined) codes.push({ hash: account.codeHash, code })
    const next = account && withStorageRoot(account, storage.trie?.rootHash ?? root)
    const value = next ? encodeAccountRecord(next) : EMPTY_BYTES
    if (equalBytes(old, value)) continue
    changes.push({ key: address, old, value, entry: accountEntry(value, next) })
    leaves.push({ key: keccak256(address), value: next && encodeAccountLeaf(next) })
  }
  return {
    trie: yield* trie.stageAccounts(leaves, storages),
    changes: sortByKey(changes),
    codes,
  }
}

/** Writes the flat values, inside a write transaction. */
export function* writeFlatState(tables: ChainTables, { changes, codes }: StagedState): Steps<void> {
  for (const [index, { key, value }] of changes.entries()) {
    if (index % WRITES_PER_STEP === 0) yield
    const table = isAccountKey(key) ? tables.accounts : tables.slots
    if (value.length === 0) table.remove(key)
    else table.put(key, value)
  }
  for (const { hash, code } of codes) tables.codes.put(hash, code)
}
