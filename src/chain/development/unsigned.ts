/**
 * Unsigned transactions, on development chains: by impersonated accounts. They have type 2; instead of a signature they
 * carry their sender as r, and s = 0, which no signature has.
 */
import { bigintToFixedBytes, bytesToBigint } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import { encodeTransaction } from '../signTransaction.ts'
import {
  decodeKnownTransaction,
  decodeTransaction,
  TransactionDecodeError,
  type Transaction,
} from '../transaction.ts'
import type { UnsignedTransaction } from '../unsignedTransaction.ts'
import type { ChainRules } from '../executed.ts'

const TYPE = 2
const ADDRESS_BITS = 160n
const NOBODY = new Uint8Array(20)

/** A transaction on behalf of any account, as type 2. */
export function impersonate(transaction: UnsignedTransaction, sender: Uint8Array): Transaction {
  const fields = { ...transaction, type: TYPE } as const
  const signature = { v: 0n, r: bytesToBigint(sender), s: 0n }
  const raw = encodeTransaction(fields, signature)
  return { ...fields, ...signature, raw, hash: keccak256(raw), sender }
}

/** The transaction of unsigned bytes; undefined for all others, and for bytes that are not a transaction. */
export function decodeUnsigned(raw: Uint8Array, chainId: bigint): Transaction | undefined {
  if (raw[0] !== TYPE) return undefined
  try {
    const transaction = decodeKnownTransaction(raw, NOBODY)
    const { v, r, s } = transaction
    if (s !== 0n || v !== 0n || r >> ADDRESS_BITS !== 0n || transaction.chainId !== chainId)
      return undefined
    return { ...transaction, sender: bigintToFixedBytes(r, 20) }
  } catch (error) {
    if (error instanceof TransactionDecodeError) return undefined
    throw error
  }
}

/** The decoder of transactions that a chain with these rules accepts. Throws TransactionDecodeError. */
export function decoderOf(rules: ChainRules): (raw: Uint8Array) => Transaction {
  const { chainId } = rules
  if (rules.isDevelopment !== true) return (raw) => decodeTransaction(raw, chainId)
  return (raw) => decodeUnsigned(raw, chainId) ?? decodeTransaction(raw, chainId)
}
