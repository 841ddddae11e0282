/**
 * Contents of the pool, by sender and nonce (interface.md, "Pool summary"; shapes and texts are go-ethereum's, D12).
 */
import { z } from 'zod'
import { toChecksumAddress } from '../../base/checksumAddress.ts'
import { fromHex } from '../../base/hex.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { PoolContent } from '../../consensus/pool.ts'
import type { Result } from '../../wire/method.ts'
import { encodeTransaction, transactionShape } from './transaction.ts'

/** Both groups of the pool. */
export type PoolGroups<T> = { readonly pending: T; readonly queued: T }

function byNonce(
  transactions: readonly Transaction[],
  encode: (transaction: Transaction) => unknown,
): object {
  return Object.fromEntries(
    transactions.map((transaction) => [transaction.nonce.toString(), encode(transaction)]),
  )
}

function bySender(content: PoolContent, encode: (transaction: Transaction) => unknown): object {
  return Object.fromEntries(
    [...content].map(([sender, transactions]) => [
      toChecksumAddress(fromHex(sender)),
      byNonce(transactions, encode),
    ]),
  )
}

/** `<to>: <value> wei + <gas> gas × <gasPrice> wei`. */
function summarize({ to, value, gasLimit, maxFeePerGas }: Transaction): string {
  const target = to ? toChecksumAddress(to) : 'contract creation'
  return `${target}: ${value} wei + ${gasLimit} gas × ${maxFeePerGas} wei`
}

function encodePending(transaction: Transaction): object {
  return encodeTransaction(transaction, undefined)
}

function groupsShape(entry: z.ZodType): z.ZodType {
  const senders = z.record(z.string(), z.record(z.string(), entry))
  return z.strictObject({ pending: senders, queued: senders })
}

/** Encodes both groups with whole transactions. */
export const poolContentResult: Result<PoolGroups<PoolContent>> = {
  schema: groupsShape(transactionShape),
  encode: ({ pending, queued }) => ({
    pending: bySender(pending, encodePending),
    queued: bySender(queued, encodePending),
  }),
}

/** Encodes both groups with a line of text per transaction. */
export const poolSummaryResult: Result<PoolGroups<PoolContent>> = {
  schema: groupsShape(z.string()),
  encode: ({ pending, queued }) => ({
    pending: bySender(pending, summarize),
    queued: bySender(queued, summarize),
  }),
}

/** Encodes the transactions of one sender. */
export const senderContentResult: Result<PoolGroups<readonly Transaction[]>> = {
  schema: z.strictObject({
    pending: z.record(z.string(), transactionShape),
    queued: z.record(z.string(), transactionShape),
  }),
  encode: ({ pending, queued }) => ({
    pending: byNonce(pending, encodePending),
    queued: byNonce(queued, encodePending),
  }),
}
