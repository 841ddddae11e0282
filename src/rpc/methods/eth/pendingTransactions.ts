import { z } from 'zod'
import { toHexDigits } from '../../../base/hex.ts'
import type { Transaction } from '../../../chain/transaction.ts'
import { method, type Result } from '../../../wire/method.ts'
import { encodeTransaction, transactionShape } from '../../encode/transaction.ts'
import type { World } from '../../world.ts'

const pendingResult: Result<readonly Transaction[]> = {
  schema: z.array(transactionShape),
  encode: (transactions) =>
    transactions.map((transaction) => encodeTransaction(transaction, undefined)),
}

export const eth_pendingTransactions = method({
  summary: "Executable transactions in the pool that were sent from this node's accounts.",
  params: {},
  result: pendingResult,
  handler: ({ accounts, pool }: Pick<World, 'accounts' | 'pool'>) => {
    const pending = pool.pending()
    return accounts.list().flatMap((address) => pending.get(toHexDigits(address)) ?? [])
  },
})
