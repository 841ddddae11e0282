/** Signed Ethereum transactions and their strict decoding from EIP-2718 bytes. */
import { bigintToBytes, concatBytes, EMPTY_BYTES, writeWord } from '../base/bytes.ts'
import { keccak256, keccak256OfParts } from '../base/keccak.ts'
import { RlpError, encodeRlpBytes, encodeRlpListHeader } from '../base/rlp.ts'
import { openRlpList } from '../base/rlpReader.ts'
import { recoverAddress } from '../base/secp256k1.ts'
import { isSignature } from '../evm/recover.ts'
import { encodePayload, fieldsOf } from './transactionFields.ts'
import type { TransactionType, UnsignedTransaction } from './unsignedTransaction.ts'

/** A signed transaction, decoded and with its sender. */
export type Transaction = UnsignedTransaction & {
  /** As on the wire: 27/28 or 35 + 2 * chainId + parity for type 0, the parity otherwise. */
  readonly v: bigint
  readonly r: bigint
  readonly s: bigint
  /** The EIP-2718 bytes, as in the block (D21). */
  readonly raw: Uint8Array
  /** Keccak-256 of `raw`. */
  readonly hash: Uint8Array
  readonly sender: Uint8Array
}

/** Why bytes are not a transaction of this chain. */
export type TransactionDecodeCode =
  | 'malformed'
  | 'unsupported-type'
  | 'wrong-chain'
  | 'invalid-signature'

/** Bytes are not a transaction of this chain. The message is go-ethereum's where it has one (D12). */
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

/** The digest that the sender of a transaction signs (EIP-155, EIP-2718). */
export function signingHash(transaction: UnsignedTransaction): Uint8Array {
  const { type, chainId } = transaction
  const items = fieldsOf(type).map((field) => field.encode(transaction))
  const replayProtection = type === 0 && chainId !== undefined ? [chainId, 0n, 0n] : []
  return keccak256(encodePayload(type, items, replayProtection))
}

/** A transaction as decoded from its bytes, before its sender is recovered. */
export type SignedTransaction = Omit<Transaction, 'sender'>

/** Input of sender recovery: a 32-byte digest, 64 bytes r || s and the parity of the nonce point. */
export type SenderSignature = {
  readonly digest: Uint8Array
  readonly compact: Uint8Array
  readonly yParity: number
}

/** The decoded fields, and the range of the signed bytes. */
type Parsed = {
  readonly transaction: SignedTransaction
  readonly fieldsStart: number
  readonly fieldsEnd: number
}

function parse(raw: Uint8Array): Parsed {
  const type = typeOf(raw)
  const reader = openRlpList(raw, type === 0 ? 0 : 1)
  const transaction = {
    type,
    chainId: undefined as bigint | undefined,
    nonce: 0n,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas: 0n,
    gasLimit: 0n,
    to: undefined,
    value: 0n,
    data: EMPTY_BYTES,
    accessList: [],
    authorizationList: [],
    v: 0n,
    r: 0n,
    s: 0n,
    raw,
    hash: EMPTY_BYTES,
  }
  const fieldsStart = reader.position()
  for (const field of fieldsOf(type)) field.read(reader, transaction)
  const fieldsEnd = reader.position()
  const v = reader.uint(256, 'v')
  transaction.v = v
  transaction.r = reader.uint(256, 'r')
  transaction.s = reader.uint(256, 's')
  if (!reader.isAtEnd())
    throw new RlpError(
      `a transaction of type ${type} is a list of ${fieldsOf(type).length + 3} items`,
    )
  if (type === 0 && v >= 35n) transaction.chainId = (v - 35n) / 2n
  transaction.hash = keccak256(raw)
  return { transaction, fieldsStart, fieldsEnd }
}

/** Like `signingHash`, over the received bytes: strict decoding allows only one encoding. */
function signedDigest({ transaction, fieldsStart, fieldsEnd }: Parsed): Uint8Array {
  const { type, chainId, raw } = transaction
  const typeByte = raw.subarray(0, type > 0 ? 1 : 0)
  const fields = raw.subarray(fieldsStart, fieldsEnd)
  const replayProtection =
    type > 0 || chainId === undefined ? EMPTY_BYTES : encodeReplayProtection(chainId)
  const header = encodeRlpListHeader(fields.length + replayProtection.length)
  return keccak256OfParts([typeByte, header, fields, replayProtection])
}

/** EIP-155: the chain id and two empty items take the place of the signature. */
function encodeReplayProtection(chainId: bigint): Uint8Array {
  return concatBytes(encodeRlpBytes(bigintToBytes(chainId)), Uint8Array.of(0x80, 0x80))
}

function compactSignature({ r, s }: SignedTransaction): Uint8Array {
  const compact = new Uint8Array(64)
  writeWord(compact, 0, r)
  writeWord(compact, 32, s)
  return compact
}

function parityOf({ type, v }: SignedTransaction): bigint {
  if (type > 0) return v
  return v >= 35n ? (v - 35n) % 2n : v - 27n
}

function noSignature(): TransactionDecodeError {
  return new TransactionDecodeError('invalid-signature', 'invalid transaction v, r, s values')
}

/**
 * Decodes EIP-2718 bytes without recovering the sender, which is by far the most expensive part. Strict: canonical RLP,
 * no leading zeros, sizes, low s (EIP-2), this chain's id. A legacy transaction from before EIP-155 passes with
 * `chainId` undefined: the caller decides whether to accept it. Throws TransactionDecodeError.
 */
export function decodeSigned(
  raw: Uint8Array,
  chainId: bigint,
): { readonly transaction: SignedTransaction; readonly signature: SenderSignature } {
  const parsed = parseStrictly(raw)
  const { transaction } = parsed
  if (transaction.chainId !== undefined && transaction.chainId !== chainId)
    throw new TransactionDecodeError(
      'wrong-chain',
      `invalid chain id for signer: have ${transaction.chainId} want ${chainId}`,
    )
  const { r, s } = transaction
  const parity = parityOf(transaction)
  if (!isSignature(parity, r, s)) throw noSignature()
  const signature = {
    digest: signedDigest(parsed),
    compact: compactSignature(transaction),
    yParity: Number(parity),
  }
  return { transaction, signature }
}

function parseStrictly(raw: Uint8Array): Parsed {
  try {
    return parse(raw)
  } catch (error) {
    if (error instanceof RlpError)
      throw new TransactionDecodeError('malformed', `rlp: ${error.message}`)
    throw error
  }
}

/**
 * Field by field: V8 gives each object that is spread from this many fields and extended a hidden class of its own,
 * which makes every later read slow.
 */
function ofSender(signed: SignedTransaction, sender: Uint8Array): Transaction {
  return {
    type: signed.type,
    chainId: signed.chainId,
    nonce: signed.nonce,
    maxPriorityFeePerGas: signed.maxPriorityFeePerGas,
    maxFeePerGas: signed.maxFeePerGas,
    gasLimit: signed.gasLimit,
    to: signed.to,
    value: signed.value,
    data: signed.data,
    accessList: signed.accessList,
    authorizationList: signed.authorizationList,
    v: signed.v,
    r: signed.r,
    s: signed.s,
    raw: signed.raw,
    hash: signed.hash,
    sender,
  }
}

/** The transaction with the sender recovered from its signature. Throws TransactionDecodeError if there is none. */
export function withSender(
  transaction: SignedTransaction,
  sender: Uint8Array | undefined,
): Transaction {
  if (sender === undefined) throw noSignature()
  return ofSender(transaction, sender)
}

/**
 * The transaction encoded by EIP-2718 bytes, with its sender: as strict as `decodeSigned`. Throws
 * TransactionDecodeError.
 */
export function decodeTransaction(raw: Uint8Array, chainId: bigint): Transaction {
  const { transaction, signature } = decodeSigned(raw, chainId)
  const { digest, compact, yParity } = signature
  return withSender(transaction, recoverAddress(digest, compact, yParity))
}

/** The transaction of bytes that were decoded before, with the previously recovered sender: for stored blocks. */
export function decodeKnownTransaction(raw: Uint8Array, sender: Uint8Array): Transaction {
  return ofSender(parseStrictly(raw).transaction, sender)
}
