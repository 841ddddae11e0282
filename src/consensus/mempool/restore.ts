/** Puts back into the pool what an earlier run of the node acknowledged (D64). */
import type { Transaction } from '../../chain/transaction.ts'
import { PoolRejection } from '../pool.ts'

/** Number of transactions that are restored at once; their senders are recovered together. */
const AT_ONCE = 1000

type Restorable = { readonly raw: Uint8Array; readonly nonce: bigint; readonly place: number }

/** Undefined for a transaction that the pool refuses. Other errors are passed on. */
function unlessRefused<T>(work: () => T): T | undefined {
  try {
    return work()
  } catch (error) {
    if (error instanceof PoolRejection) return undefined
    throw error
  }
}

/**
 * Restores transactions, given in the order of their arrival, and returns those that are pooled again. Lower nonces come
 * first, so that none is behind a gap that a later one closes; of two with the same nonce the later one comes first, and
 * the other is refused. What the state has overtaken is refused, too.
 */
export async function restoreAll(
  raws: readonly Uint8Array[],
  nonceOf: (raw: Uint8Array) => bigint,
  restore: (raw: Uint8Array) => Promise<Transaction>,
): Promise<readonly Transaction[]> {
  const all = raws.flatMap((raw, place): readonly Restorable[] => {
    const nonce = unlessRefused(() => nonceOf(raw))
    return nonce === undefined ? [] : [{ raw, nonce, place }]
  })
  all.sort((a, b) => (a.nonce === b.nonce ? b.place - a.place : a.nonce < b.nonce ? -1 : 1))
  const restored: Transaction[] = []
  for (let first = 0; first < all.length; first += AT_ONCE) {
    const some = all.slice(first, first + AT_ONCE)
    for (const result of await Promise.allSettled(some.map(({ raw }) => restore(raw))))
      if (result.status === 'fulfilled') restored.push(result.value)
      else if (!(result.reason instanceof PoolRejection)) throw result.reason
  }
  return restored
}
