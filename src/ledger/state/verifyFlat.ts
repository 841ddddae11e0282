/** Holds the flat state against the state trie record by record, for a scrub of a running node (D92). */
import type { ChainTables } from '../tables.ts'
import { decodeAccountRecord, storageRootOf } from './accountRecord.ts'
import type { Agreement } from './agreement.ts'
import { ADDRESS_SIZE, isAccountKey } from './flatKey.ts'

/** The record after this key is next: an account's, then those of the slots. */
export type FlatPosition = Uint8Array

const FIRST_SLOT: FlatPosition = new Uint8Array(ADDRESS_SIZE + 1)

/**
 * Verifies up to `limit` records from a position on, undefined for the first. Returns where to continue; undefined at the
 * end. Throws KvCorruptionError for a record that the trie does not have.
 */
export function verifyFlat(
  tables: ChainTables,
  agreement: Agreement,
  position: FlatPosition | undefined,
  limit: number,
): FlatPosition | undefined {
  const start = position && Uint8Array.of(...position, 0)
  let last: FlatPosition | undefined
  if (position === undefined || isAccountKey(position)) {
    for (const { key, value } of tables.accounts.range({ ...(start && { start }), limit })) {
      agreement.requireAccount(key, decodeAccountRecord(value))
      last = key
    }
    return last ?? FIRST_SLOT
  }
  const range = position === FIRST_SLOT ? { limit } : { ...(start && { start }), limit }
  for (const { key, value } of tables.slots.range(range)) {
    const account = tables.accounts.get(key.slice(0, ADDRESS_SIZE))
    agreement.requireSlot(key, storageRootOf(account), value)
    last = key
  }
  return last
}
