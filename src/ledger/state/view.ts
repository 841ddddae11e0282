/** The world state after a height, as execution and the RPC read it. */
import { EMPTY_BYTES, equalBytes, padLeft } from '../../base/bytes.ts'
import { EMPTY_CODE_HASH, type StateView } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { FlatState } from '../history/flatState.ts'
import { CorruptRecordError } from '../records/reader.ts'
import type { ChainTables } from '../tables.ts'
import { decodeAccountRecord, type StoredAccount } from './accountRecord.ts'
import { slotKey } from './flatKey.ts'

/** A view with the storage root. */
export type StoredStateView = Omit<StateView, 'account'> & {
  account(address: Uint8Array): StoredAccount | undefined
}

/**
 * The state after `height`, which never changes: `storageIdentity` identifies it. `tip` returns the last block at the
 * time of each read: the view outlives later commits.
 */
export function createStateView(
  tables: ChainTables,
  flat: FlatState,
  height: number,
  tip: () => number,
  storageIdentity: object | undefined,
): StoredStateView {
  function account(address: Uint8Array): StoredAccount | undefined {
    const last = tip()
    // The current state is already decoded.
    if (height === last) return flat.latest.entry(address).account
    const record = flat.read(address, height, last)
    return record && decodeAccountRecord(record)
  }
  return {
    account,
    storageIdentity: () => storageIdentity,
    code(codeHash) {
      if (equalBytes(codeHash, EMPTY_CODE_HASH)) return EMPTY_BYTES
      const code = tables.codes.get(codeHash)
      if (code === undefined) throw new CorruptRecordError('the code of an account is not stored')
      return code
    },
    storage(address, slot) {
      const last = tip()
      const key = slotKey(address, slot)
      if (height === last) return flat.latest.entry(key).word
      return padLeft(flat.read(key, height, last) ?? EMPTY_BYTES, 32)
    },
    hasStorage(address) {
      const root = account(address)?.storageRoot
      return root !== undefined && !equalBytes(root, EMPTY_TRIE_ROOT)
    },
  }
}
