/**
 * Decodes transactions with blobs (EIP-4844, type 3), which our chains refuse (D19) and other people's vectors contain.
 */
import { bytesToBigint, concatBytes } from '../../src/base/bytes.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { decodeRlp, encodeRlp, type RlpItem } from '../../src/base/rlp.ts'
import { recoverSender } from '../../src/evm/recover.ts'
import type { Transactable } from '../../src/evm/transactable.ts'

const TYPE = 3
/** Fields that the sender signs; then come parity, r and s. */
const SIGNED_FIELDS = 11

function bytesOf(item: RlpItem | undefined): Uint8Array {
  if (item instanceof Uint8Array) return item
  throw new Error('a field of a blob transaction is a list')
}

function listOf(item: RlpItem | undefined): readonly RlpItem[] {
  if (item === undefined || item instanceof Uint8Array) throw new Error('a list is missing')
  return item
}

/** Whether EIP-2718 bytes are a transaction with blobs. */
export function isBlobTransaction(raw: Uint8Array): boolean {
  return raw[0] === TYPE
}

/** The transaction with its sender. Throws Error when the bytes are not one. */
export function decodeBlobTransaction(raw: Uint8Array): Transactable {
  const fields = listOf(decodeRlp(raw.subarray(1)))
  const number = (index: number): bigint => bytesToBigint(bytesOf(fields[index]))
  const unsigned = encodeRlp(fields.slice(0, SIGNED_FIELDS))
  const digest = keccak256(concatBytes(Uint8Array.of(TYPE), unsigned))
  const sender = recoverSender(digest, number(11), number(12), number(13))
  if (sender === undefined) throw new Error('nobody signed the transaction')
  return {
    type: TYPE,
    sender,
    nonce: number(1),
    maxPriorityFeePerGas: number(2),
    maxFeePerGas: number(3),
    gasLimit: number(4),
    to: bytesOf(fields[5]),
    value: number(6),
    data: bytesOf(fields[7]),
    accessList: listOf(fields[8]).map((entry) => {
      const [address, slots] = listOf(entry)
      return { address: bytesOf(address), storageKeys: listOf(slots).map(bytesOf) }
    }),
    authorizationList: [],
    s: number(13),
    blobs: {
      maxFeePerBlobGas: number(9),
      versionedHashes: listOf(fields[10]).map(bytesOf),
    },
  }
}
