/**
 * Holds what the flat state has against the state trie (D87). A checksum tells that a record is damaged, not that one is
 * missing, nor that an old page of the file came back with what was right once.
 */
import { equalBytes } from '../../base/bytes.ts'
import { encodeRlpBytes } from '../../base/rlp.ts'
import type { KvTable } from '../../store/kvTable.ts'
import type { ChainTables } from '../tables.ts'
import type { StateTrie } from '../trie/stateTrie.ts'
import { encodeAccountLeaf, type StoredAccount } from './accountRecord.ts'
import { ADDRESS_SIZE, slotOfKey } from './flatKey.ts'

/** Each throws KvCorruptionError if the trie has something else. */
export type Agreement = {
  /** The account under a key as it was read; undefined for none. */
  requireAccount(key: Uint8Array, account: StoredAccount | undefined): void
  /** The value under a slot's key as it was read, empty for zero; `root` is the storage root of its account. */
  requireSlot(key: Uint8Array, root: Uint8Array, record: Uint8Array): void
}

/** Throws unless both leaves are the same, or both missing. */
function requireSame(
  table: KvTable,
  key: Uint8Array,
  found: Uint8Array | undefined,
  leaf: Uint8Array | undefined,
): void {
  if (found === undefined || leaf === undefined) {
    if (found === leaf) return
    throw table.damaged(
      key,
      found === undefined ? 'is missing: the state trie has it' : 'is not in the state trie',
    )
  }
  if (!equalBytes(found, leaf)) throw table.damaged(key, 'is not what the state trie has')
}

/** The agreement of the tables with the trie of the last block. */
export function createAgreement(tables: ChainTables, trie: () => StateTrie): Agreement {
  return {
    requireAccount(key, account) {
      const found = account && encodeAccountLeaf(account)
      requireSame(tables.accounts, key, found, trie().accountLeaf(key))
    },
    requireSlot(key, root, record) {
      const found = record.length === 0 ? undefined : encodeRlpBytes(record)
      const leaf = trie().slotLeaf(key.subarray(0, ADDRESS_SIZE), root, slotOfKey(key))
      requireSame(tables.slots, key, found, leaf)
    },
  }
}
