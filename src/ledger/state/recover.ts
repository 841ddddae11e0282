/** The trie at startup: the last checkpoint, and the leaves that blocks have changed since. */
import { equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import { runSteps } from '../../base/steps.ts'
import { decodeHeaderRecord } from '../blocks/headerRecord.ts'
import { heightKey } from '../blocks/heightKey.ts'
import type { Kv } from '../../store/kv.ts'
import { CorruptRecordError } from '../records/reader.ts'
import { readFact, type ChainTables } from '../tables.ts'
import { createStateTrie, type StateTrie, type StorageCandidate } from '../trie/stateTrie.ts'
import type { TrieChange } from '../trie/changes.ts'
import { undoJournal, type TrieTables } from '../trie/journal.ts'
import { decodeAccountRecord, encodeAccountLeaf, storageRootOf } from './accountRecord.ts'
import { openChangeset } from './changeset.ts'
import { ADDRESS_SIZE, isAccountKey, slotOfKey } from './flatKey.ts'

/** Changed keys of one account since the checkpoint. */
type Touched = {
  readonly address: Uint8Array
  /** The account's record at the checkpoint; empty when there was none. */
  record: Uint8Array | undefined
  readonly slots: Map<string, Uint8Array>
}

/** By address as hex digits. */
export type TouchedAccounts = ReadonlyMap<string, Touched>

/** The changes of the blocks after `height` up to `tip`, with each account's record before them. */
export function touchedSince(tables: ChainTables, height: number, tip: number): TouchedAccounts {
  const touched = new Map<string, Touched>()
  for (let block = height + 1; block <= tip; block++) {
    const stored = tables.changesets.get(heightKey(block))
    if (stored === undefined) continue
    const changeset = openChangeset(stored)
    for (let i = 0; i < changeset.size; i++) {
      const { key, old } = changeset.entry(i)
      const address = key.subarray(0, ADDRESS_SIZE)
      const addressHex = toHexDigits(address)
      let entry = touched.get(addressHex)
      if (entry === undefined) {
        entry = { address, record: undefined, slots: new Map() }
        touched.set(addressHex, entry)
      }
      if (isAccountKey(key)) entry.record ??= old
      else entry.slots.set(toHexDigits(key), key)
    }
  }
  return touched
}

/** The account's storage trie with the final values of the slots that changed. */
function restoreStorage(
  tables: ChainTables,
  trie: StateTrie,
  { address, record, slots }: Touched,
): StorageCandidate {
  const leaves: TrieChange[] = []
  for (const key of slots.values()) {
    const value = tables.slots.get(key)
    leaves.push({
      key: keccak256(slotOfKey(key)),
      value: value && encodeRlpBytes(value),
    })
  }
  const staged = runSteps(trie.stageStorage(address, storageRootOf(record), leaves, false))
  const expected = storageRootOf(tables.accounts.get(address))
  if (equalBytes(staged.rootHash, expected)) return staged
  throw new CorruptRecordError(
    `the storage of ${toHexDigits(address)} does not match its root: restore the home folder from a backup, or sync again`,
  )
}

/** The tables of the state trie. */
export function trieTablesOf(tables: ChainTables): TrieTables {
  return {
    accounts: tables.accountTrie,
    storages: tables.storageTrie,
    journal: tables.trieJournal,
  }
}

/**
 * The state trie of the last block. An incomplete checkpoint is undone first. Throws CorruptRecordError if the trie
 * does not have the root of that block's header.
 */
export function recoverStateTrie(kv: Kv, tables: ChainTables, tip: number): StateTrie {
  const trieTables = trieTablesOf(tables)
  const rootAt = (height: number): Uint8Array => {
    const record = tables.headers.get(heightKey(height))
    if (record === undefined)
      throw new CorruptRecordError(`the header of block ${height} is not stored`)
    return decodeHeaderRecord(record, height).stateRoot
  }
  const checkpoint = readFact(tables, 'checkpoint') ?? 0
  undoJournal(kv, trieTables, checkpoint)
  const trie = createStateTrie(trieTables, rootAt(checkpoint))
  const leaves: TrieChange[] = []
  const storages = new Map<string, StorageCandidate>()
  for (const [addressHex, touched] of touchedSince(tables, checkpoint, tip)) {
    if (touched.slots.size > 0) storages.set(addressHex, restoreStorage(tables, trie, touched))
    const record = tables.accounts.get(touched.address)
    leaves.push({
      key: keccak256(touched.address),
      value: record && encodeAccountLeaf(decodeAccountRecord(record)),
    })
  }
  trie.adopt(runSteps(trie.stageAccounts(leaves, storages)))
  if (equalBytes(trie.stateRoot(), rootAt(tip))) return trie
  throw new CorruptRecordError(
    `the stored state does not have the root of block ${tip}: restore the home folder from a backup, or sync again`,
  )
}
