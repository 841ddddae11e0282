/** An account as the tables and the trie hold it: with its storage root, which tells whether it has storage at all. */
import { bigintToBytes, equalBytes } from '../../base/bytes.ts'
import { EMPTY_CODE_HASH, type Account } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

export type StoredAccount = Account & { readonly storageRoot: Uint8Array }

const HAS_CODE = 1
const HAS_STORAGE = 2

/** The record of an account. What it does not have takes no room. */
export function encodeAccountRecord(account: StoredAccount): Uint8Array {
  const hasCode = !equalBytes(account.codeHash, EMPTY_CODE_HASH)
  const hasStorage = !equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
  return writeRecord((writer) => {
    writer.byte((hasCode ? HAS_CODE : 0) | (hasStorage ? HAS_STORAGE : 0))
    writer.bigint(account.nonce)
    writer.bigint(account.balance)
    if (hasCode) writer.fixed(account.codeHash)
    if (hasStorage) writer.fixed(account.storageRoot)
  })
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

/** The storage root of a record, or of no record (undefined or empty), without decoding the rest. */
export function storageRootOf(record: Uint8Array | undefined): Uint8Array {
  const flags = record?.[0] ?? 0
  return record !== undefined && flags & HAS_STORAGE
    ? record.subarray(record.length - 32)
    : EMPTY_TRIE_ROOT
}

function writeRlpInteger(target: Uint8Array, at: number, bytes: Uint8Array): number {
  if (bytes.length === 1 && (bytes[0] as number) < 0x80) {
    target[at] = bytes[0] as number
    return at + 1
  }
  target[at] = 0x80 + bytes.length
  target.set(bytes, at + 1)
  return at + 1 + bytes.length
}

// The list's prefix, two integers with theirs, two hashes with theirs.
const MAX_LEAF_SIZE = 2 + 33 + 33 + 33 + 33

/** The account's leaf in the state trie: RLP of nonce, balance, storage root, code hash (Yellow Paper, section 4.1). */
export function encodeAccountLeaf(account: StoredAccount): Uint8Array {
  const leaf = new Uint8Array(MAX_LEAF_SIZE)
  let at = writeRlpInteger(leaf, 2, bigintToBytes(account.nonce))
  at = writeRlpInteger(leaf, at, bigintToBytes(account.balance))
  for (const hash of [account.storageRoot, account.codeHash]) {
    leaf[at] = 0xa0
    leaf.set(hash, at + 1)
    at += 33
  }
  // Two hashes alone have 66 bytes: the list always has a prefix of two bytes.
  leaf[0] = 0xf8
  leaf[1] = at - 2
  return leaf.slice(0, at)
}
