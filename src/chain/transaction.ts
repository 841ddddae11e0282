/** Signed Ethereum transactions and their strict decoding from EIP-2718 bytes. */
import { keccak256 } from '../base/keccak.ts'
import { RlpError, decodeRlp, type RlpItem } from '../base/rlp.ts'
import { recoverSender } from '../evm/recover.ts'
import { encodePayload, fieldsOf, readUint } from './transactionFields.ts'
import type { TransactionType, UnsignedTransaction } from './unsignedTransaction.ts'

/** A signed transaction, decoded and with its sender. */
export type Transaction = UnsignedTransaction & {
  /** As on the wire: 27/28 or 35 + 2 * chainId + parity for type 0, the parity otherwise. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  /** The EIP-2718 bytes, as they stand in the block (D21). */
  readonly raw: Uint8Array
  /** Keccak-256 of `raw`. */
  readonly hash: Uint8Array
  readonly sender: Uint8Array
}

/** Why bytes are no transaction of this chain. */
export type TransactionDecodeCode =
  | 'malformed'
  | 'unsupported-type'
  | 'wrong-chain'
  | 'invalid-signature'

/** Bytes are no transaction of this chain. The message is in go-ethereum's words where it has some (D12). */
export class TransactionDecodeError extends Error {
  override readonly name = 'TransactionDecodeError'
  readonly code: TransactionDecodeCode

  constructor(code: TransactionDecodeCode, message: string) {
    super(message)
    this.code = code
  }
}

function typeOf(raw: Uint8Array): TransactionType {
  const first = raw[0]
  if (first === undefined)
    throw new TransactionDecodeError('malformed', 'typed transaction too short')
  if (first >= 0x80) return 0
  if (first === 1 || first === 2 || first === 4) return first
  throw new TransactionDecodeError('unsupported-type', 'transaction type not supported')
}

function decodeUnsigned(
  type: TransactionType,
  items: readonly RlpItem[],
  legacyChainId: bigint | undefined,
): UnsignedTransaction {
  const fields = fieldsOf(type).map((field, index) => field.decode(items[index] as RlpItem))
  const defaults = { type, chainId: legacyChainId, accessList: [], authorizationList: [] }
  return Object.assign(defaults, ...fields) as UnsignedTransaction
}

/** The digest that the sender of a transaction signs (EIP-155, EIP-2718). */
export function signingHash(transaction: UnsignedTransaction): Uint8Array {
  const { type, chainId } = transaction
  const items = fieldsOf(type).map((field) => field.encode(transaction))
  const replayProtection = type === 0 && chainId !== undefined ? [chainId, 0n, 0n] : []
  return keccak256(encodePayload(type, items, replayProtection))
}

/** All that the bytes say: who sent them has yet to be recovered. */
function decodeSigned(raw: Uint8Array): Omit<Transaction, 'sender' | 'hash'> {
  const type = typeOf(raw)
  const items = decodeRlp(type === 0 ? raw : raw.subarray(1))
  const length = fieldsOf(type).length
  if (items instanceof Uint8Array || items.length !== length + 3)
    throw new RlpError(`a transaction of type ${type} is a list of ${length + 3} items`)
  const [v, r, s] = items.slice(length).map((item) => readUint(item, 256, 'v, r or s')) as [
    bigint,
    bigint,
    bigint,
  ]
  const unsigned = decodeUnsigned(type, items, v >= 35n ? (v - 35n) / 2n : undefined)
  return { ...unsigned, v, r, s, raw }
}

function decode(raw: Uint8Array, chainId: bigint): Transaction {
  const signed = decodeSigned(raw)
  const { type, v, r, s } = signed
  if (signed.chainId !== undefined && signed.chainId !== chainId)
    throw new TransactionDecodeError(
      'wrong-chain',
      `invalid chain id for signer: have ${signed.chainId} want ${chainId}`,
    )
  const parity = type > 0 ? v : v >= 35n ? (v - 35n) % 2n : v - 27n
  const sender = recoverSender(signingHash(signed), parity, r, s)
  if (sender === undefined)
    throw new TransactionDecodeError('invalid-signature', 'invalid transaction v, r, s values')
  return { ...signed, hash: keccak256(raw), sender }
}

/**
 * The transaction that EIP-2718 bytes stand for, with its sender. Strict: canonical RLP, no leading zeros, sizes, low s
 * (EIP-2), this chain's id. A legacy transaction from before EIP-155 passes with `chainId` undefined: whether it is
 * welcome is the caller's choice. Throws TransactionDecodeError.
 */
export function decodeTransaction(raw: Uint8Array, chainId: bigint): Transaction {
  try {
    return decode(raw, chainId)
  } catch (error) {
    if (error instanceof RlpError)
      throw new TransactionDecodeError('malformed', `rlp: ${error.message}`)
    throw error
  }
}

/** The transaction of bytes that were decoded before, with the sender that was recovered then: for stored blocks. */
export function decodeKnownTransaction(raw: Uint8Array, sender: Uint8Array): Transaction {
  return { ...decodeSigned(raw), hash: keccak256(raw), sender }
}
