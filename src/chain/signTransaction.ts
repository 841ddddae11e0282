/** Creating signed transactions: for the key store's accounts, tools and tests. */
import { bytesToBigint } from '../base/bytes.ts'
import { keccak256 } from '../base/keccak.ts'
import { addressOfPrivateKey, sign } from '../base/secp256k1.ts'
import { signingHash, type Transaction } from './transaction.ts'
import { encodePayload, fieldsOf } from './transactionFields.ts'
import type { UnsignedTransaction } from './unsignedTransaction.ts'

/** The EIP-2718 bytes of a transaction with its signature. */
export function encodeTransaction(
  transaction: UnsignedTransaction,
  signature: { readonly v: bigint; readonly r: bigint; readonly s: bigint },
): Uint8Array {
  const items = fieldsOf(transaction.type).map((field) => field.encode(transaction))
  return encodePayload(transaction.type, items, [signature.v, signature.r, signature.s])
}

function wireParity({ type, chainId }: UnsignedTransaction, yParity: number): bigint {
  if (type !== 0) return BigInt(yParity)
  return BigInt(yParity) + (chainId === undefined ? 27n : 35n + 2n * chainId)
}

/** A complete but unsigned transaction: v, r and s are zero, and the hash is that of these bytes. */
export function withoutSignature(
  transaction: UnsignedTransaction,
  sender: Uint8Array,
): Transaction {
  const signature = { v: 0n, r: 0n, s: 0n }
  const raw = encodeTransaction(transaction, signature)
  return { ...transaction, ...signature, raw, hash: keccak256(raw), sender }
}

/** Signs a transaction with a 32-byte private key. Throws on an invalid key. */
export function signTransaction(
  transaction: UnsignedTransaction,
  privateKey: Uint8Array,
): Transaction {
  const { compact, yParity } = sign(signingHash(transaction), privateKey)
  const signature = {
    v: wireParity(transaction, yParity),
    r: bytesToBigint(compact.subarray(0, 32)),
    s: bytesToBigint(compact.subarray(32)),
  }
  const raw = encodeTransaction(transaction, signature)
  return {
    ...transaction,
    ...signature,
    raw,
    hash: keccak256(raw),
    sender: addressOfPrivateKey(privateKey),
  }
}
