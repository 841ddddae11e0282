/** A transaction as bytes and as an object: the result of signing and filling. */
import { z } from 'zod'
import { toHex } from '../../base/hex.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { Result } from '../../wire/method.ts'
import { dataShape } from '../../wire/shapes.ts'
import { encodeTransaction, transactionShape } from './transaction.ts'

/** Encodes `{raw, tx}`. */
export const signedTransactionResult: Result<Transaction> = {
  schema: z.strictObject({ raw: dataShape, tx: transactionShape }),
  encode: (transaction) => ({
    raw: toHex(transaction.raw),
    tx: encodeTransaction(transaction, undefined),
  }),
}
