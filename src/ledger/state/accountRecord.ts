/** Accounts in the tables and the trie: with the storage root, which tells whether there is any storage. */
import { bytesToBigint, equalBytes } from '../../base/bytes.ts'
import { decodeRlp } from '../../base/rlp.ts'
import { EMPTY_CODE_HASH, type Account } from '../../evm/types.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import { CorruptRecordError, createRecordReader } from '../records/reader.ts'

export type StoredAccount = Account & { readonly storageRoot: Uint8Array }

const HAS_CODE = 1
const HAS_STORAGE = 2

// Encoded here first, so that each form takes one array of the right size.
const scratch = new Uint8Array(160)
const words = new DataView(new ArrayBuffer(8))

/** Writes a non-negative integer of at most 256 bits without leading zeros; returns the offset after it. */
function writeInteger(at: number, value: bigint): number {
  let end = at
  for (let shift = value < LIMB ? 0n : 192n; shift >= 0n; shift -= 64n) {
    words.setBigUint64(0, value >> shift)
    for (let i = 0; i < 8; i++) {
      const byte = words.getUint8(i)
      if (byte !== 0 || end > at) scratch[end++] = byte
    }
  }
  return end
}

const LIMB = 1n << 64n

function writeHash(at: number, hash: Uint8Array): number {
  for (let i = 0; i < 32; i++) scratch[at + i] = hash[i] as number
  return at + 32
}

/** A length-prefixed integer. */
function writeField(at: number, value: bigint): number {
  const end = writeInteger(at + 1, value)
  scratch[at] = end - at - 1
  return end
}

/** The record of an account. Absent fields take no space. */
export function encodeAccountRecord(account: StoredAccount): Uint8Array {
  const hasCode = !equalBytes(account.codeHash, EMPTY_CODE_HASH)
  const hasStorage = !equalBytes(account.storageRoot, EMPTY_TRIE_ROOT)
  scratch[0] = (hasCode ? HAS_CODE : 0) | (hasStorage ? HAS_STORAGE : 0)
  let end = writeField(writeField(1, account.nonce), account.balance)
  if (hasCode) end = writeHash(end, account.codeHash)
  if (hasStorage) end = writeHash(end, account.storageRoot)
  return scratch.slice(0, end)
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

/** The storage root of a record, or of a missing one (undefined or empty), without decoding the rest. */
export function storageRootOf(record: Uint8Array | undefined): Uint8Array {
  const flags = record?.[0] ?? 0
  return record !== undefined && flags & HAS_STORAGE
    ? record.subarray(record.length - 32)
    : EMPTY_TRIE_ROOT
}

/** The code hash of a record, without decoding the rest; undefined for an account without code. */
export function codeHashOf(record: Uint8Array): Uint8Array | undefined {
  const flags = record[0] ?? 0
  if ((flags & HAS_CODE) === 0) return undefined
  const end = record.length - (flags & HAS_STORAGE ? 32 : 0)
  return record.subarray(end - 32, end)
}

/** An integer as an RLP string. */
function writeRlpInteger(at: number, value: bigint): number {
  const end = writeInteger(at + 1, value)
  if (end === at + 2 && (scratch[at + 1] as number) < 0x80) {
    scratch[at] = scratch[at + 1] as number
    return at + 1
  }
  scratch[at] = 0x80 + end - at - 1
  return end
}

function writeRlpHash(at: number, hash: Uint8Array): number {
  scratch[at] = 0xa0
  return writeHash(at + 1, hash)
}

/** The account's leaf in the state trie: RLP of nonce, balance, storage root, code hash (Yellow Paper, section 4.1). */
export function encodeAccountLeaf(account: StoredAccount): Uint8Array {
  const balance = writeRlpInteger(2, account.nonce)
  const storageRoot = writeRlpInteger(balance, account.balance)
  const end = writeRlpHash(writeRlpHash(storageRoot, account.storageRoot), account.codeHash)
  // Two hashes alone have 66 bytes: the list always has a prefix of two bytes.
  scratch[0] = 0xf8
  scratch[1] = end - 2
  return scratch.slice(0, end)
}

/** The account of a leaf of the state trie. Throws CorruptRecordError. */
export function decodeAccountLeaf(leaf: Uint8Array): StoredAccount {
  const fields = decodeRlp(leaf)
  if (fields instanceof Uint8Array || fields.length !== 4)
    throw new CorruptRecordError('a leaf of the state trie is not an account')
  const [nonce, balance, storageRoot, codeHash] = fields as readonly Uint8Array[]
  return {
    nonce: bytesToBigint(nonce as Uint8Array),
    balance: bytesToBigint(balance as Uint8Array),
    storageRoot: storageRoot as Uint8Array,
    codeHash: codeHash as Uint8Array,
  }
}
