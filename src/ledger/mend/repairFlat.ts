/**
 * Mends the flat state from the state trie (D88). The trie knows only the hashes of keys: those of records that are gone
 * are found again in the history of changes, which has every key that a block ever changed.
 */
import { equalBytes } from '../../base/bytes.ts'
import { decodeRlp } from '../../base/rlp.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { Kv } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { HEIGHT_SIZE } from '../blocks/heightKey.ts'
import { decodeAccountLeaf, encodeAccountRecord } from '../state/accountRecord.ts'
import { openChangeset } from '../state/changeset.ts'
import { ADDRESS_SIZE, isAccountKey, slotOfKey } from '../state/flatKey.ts'
import { examinedStretches } from '../snapshot/scan.ts'
import type { ChainTables } from '../tables.ts'
import type { StateTrie } from '../trie/stateTrie.ts'

/** Bytes of an account's key, and of a slot's. */
const KEY_SIZES: ReadonlySet<number> = new Set([ADDRESS_SIZE, ADDRESS_SIZE + 32])

const KEYS_PER_WRITE = 10_000

/** The record that the trie has under a key of the flat state; undefined for none. */
function recordIn(trie: StateTrie, key: Uint8Array): Uint8Array | undefined {
  const leaf = trie.accountLeaf(key.subarray(0, ADDRESS_SIZE))
  if (leaf === undefined) return undefined
  const account = decodeAccountLeaf(leaf)
  if (isAccountKey(key)) return encodeAccountRecord(account)
  const { storageRoot } = account
  if (equalBytes(storageRoot, EMPTY_TRIE_ROOT)) return undefined
  const value = trie.slotLeaf(key.subarray(0, ADDRESS_SIZE), storageRoot, slotOfKey(key))
  return value && (decodeRlp(value) as Uint8Array)
}

function* keysOf(table: KvTable, suffix: number): Generator<Uint8Array> {
  let before: Uint8Array | undefined
  for (const records of examinedStretches(table))
    for (const { key } of records) {
      const own = key.subarray(0, key.length - suffix)
      if (before !== undefined && equalBytes(own, before)) continue
      before = own
      yield own
    }
}

function* keysOfChanges(changesets: KvTable): Generator<Uint8Array> {
  for (const records of examinedStretches(changesets))
    for (const { value, fault } of records) {
      if (fault !== undefined) continue
      const changeset = openChangeset(value)
      for (let i = 0; i < changeset.size; i++) yield changeset.entry(i).key
    }
}

/** Every key that the flat state has or had, some of them several times. */
function* knownKeys(tables: ChainTables): Generator<Uint8Array> {
  yield* keysOf(tables.accounts, 0)
  yield* keysOf(tables.slots, 0)
  yield* keysOf(tables.accountHistory, HEIGHT_SIZE)
  yield* keysOf(tables.slotHistory, HEIGHT_SIZE)
  yield* keysOfChanges(tables.changesets)
}

function isAsStored(table: KvTable, key: Uint8Array, record: Uint8Array | undefined): boolean {
  for (const found of table.examine({ start: key, limit: 1 })) {
    if (!equalBytes(found.key, key)) break
    if (found.fault !== undefined) return false
    return record !== undefined && equalBytes(found.value, record)
  }
  return record === undefined
}

/** Gives a key of the flat state the record that the trie has, inside a write transaction; whether it had another. */
export function repairFlatRecord(tables: ChainTables, trie: StateTrie, key: Uint8Array): boolean {
  const table = key.length === ADDRESS_SIZE ? tables.accounts : tables.slots
  const record = KEY_SIZES.has(key.length) ? recordIn(trie, key) : undefined
  if (isAsStored(table, key, record)) return false
  if (record === undefined) table.remove(key)
  else table.put(key, record)
  return true
}

/**
 * Gives every key that was ever changed the record that the trie of the last block has. Returns the number of records
 * that were mended; `findFlatFaults` tells whether some are still missing.
 */
export function repairFlat(kv: Kv, tables: ChainTables, trie: StateTrie): number {
  let mended = 0
  let keys: Uint8Array[] = []
  function write(): void {
    kv.write(() => {
      for (const key of keys) if (repairFlatRecord(tables, trie, key)) mended++
    })
    keys = []
  }
  for (const key of knownKeys(tables)) {
    keys.push(key)
    if (keys.length >= KEYS_PER_WRITE) write()
  }
  write()
  return mended
}
