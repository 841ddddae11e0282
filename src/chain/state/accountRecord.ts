/** An account as the tables and the trie hold it: with its storage root, which tells whether it has storage at all. */
import { bigintToBytes, equalBytes } from '../../base/bytes.ts'
import { encodeRlpBytes, encodeRlpList } from '../../base/rlp.ts'
import { EMPTY_CODE_HASH, type Account } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { createRecordReader } from '../records/reader.ts'
import { createRecordWriter } from '../records/writer.ts'

export type StoredAccount = Account & { readonly storageRoot: Uint8Array }

const HAS_CODE = 1
const HAS_STORAGE = 2

export function encodeAccountRecord(account: StoredAccount): Uint8Array {
  const hasCode = !equalBytes(account.codeHash, EMPTY_CODE_HASH)
  const hasStorage = !equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
  const writer = createRecordWriter(32)
  writer.byte((hasCode ? HAS_CODE : 0) | (hasStorage ? HAS_STORAGE : 0))
  writer.bigint(account.nonce)
  writer.bigint(account.balance)
  if (hasCode) writer.fixed(account.codeHash)
  if (hasStorage) writer.fixed(account.storageRoot)
  return writer.finish()
}

/** Throws CorruptRecordError. */
export function decodeAccountRecord(record: Uint8Array): StoredAccount {
  const reader = createRecordReader(record)
  const flags = reader.byte()
  return {
    nonce: reader.bigint(),
    balance: reader.bigint(),
    codeHash: flags & HAS_CODE ? reader.fixed(32) : EMPTY_CODE_HASH,
    storageRoot: flags & HAS_STORAGE ? reader.fixed(32) : EMPTY_TRIE_ROOT,
  }
}

/** The account's leaf in the state trie (Yellow Paper, section 4.1). */
export function encodeAccountLeaf(account: StoredAccount): Uint8Array {
  return encodeRlpList([
    encodeRlpBytes(bigintToBytes(account.nonce)),
    encodeRlpBytes(bigintToBytes(account.balance)),
    encodeRlpBytes(account.storageRoot),
    encodeRlpBytes(account.codeHash),
  ])
}
