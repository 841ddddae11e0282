/** Contents of the pool as JSON. */
import type { TransactionPool } from '../../consensus/pool.ts'
import { base64, decimal } from './primitive.ts'

/** Raw bytes of all transactions in the pool, executable ones first. */
export function rawTransactions(
  pool: Pick<TransactionPool, 'pending' | 'queued'>,
): readonly Uint8Array[] {
  return [...pool.pending().values(), ...pool.queued().values()].flatMap((transactions) =>
    transactions.map(({ raw }) => raw),
  )
}

/** A summary of the pool, with the transactions to show; null instead of an empty list. */
export function encodePool(
  all: readonly Uint8Array[],
  shown: readonly Uint8Array[] | undefined,
): object {
  return {
    n_txs: decimal(shown?.length ?? all.length),
    total: decimal(all.length),
    total_bytes: decimal(all.reduce((sum, raw) => sum + raw.length, 0)),
    txs: shown?.map(base64) ?? null,
  }
}
