/**
 * The pooled transactions of one sender: the pending ones, which its account can pay and whose nonces have no gap, and
 * the queued ones after them.
 */
import type { Transaction } from '../../chain/transaction.ts'

export type PooledTransaction = {
  /** The hash as hex digits. */
  readonly id: string
  readonly transaction: Transaction
  /** Gas at the fee cap plus value. */
  readonly cost: bigint
  /** Order of arrival in this process. */
  readonly arrival: number
  /** Whether listeners have been told that it is pending. */
  isAnnounced: boolean
  /** Number of pool updates when it was held back: it is known from CheckTx alone (D21a). Undefined for all others. */
  heldAt: number | undefined
  /** Belongs to the journal: 0 for a transaction that is not in it. */
  journalNumber: number
  /** The accounts that it delegates, as 40 hex digits (EIP-7702). */
  readonly authorities: readonly string[]
}

export type SenderQueue = {
  /** All transactions, ordered by nonce. */
  readonly entries: readonly PooledTransaction[]
  /** Number of executable transactions, counted from the front. */
  pendingCount(): number
  /** Maximum total cost of the pending ones. */
  pendingCost(): bigint
  /** The nonce after the pending ones. */
  pendingNonce(): bigint
  pending(): readonly PooledTransaction[]
  queued(): readonly PooledTransaction[]
  find(nonce: bigint): PooledTransaction | undefined
  /**
   * Adds a transaction, or replaces the one with the same nonce, which is returned. The caller has checked funds and
   * price.
   */
  put(entry: PooledTransaction): PooledTransaction | undefined
  /** Removes one; pending ones after it return to the queue. */
  remove(nonce: bigint): void
  /**
   * Updates the account: nothing is pending until `promote`. Returns what left the queue: mined or stale nonces, and
   * whatever costs more than the whole balance.
   */
  setAccount(nonce: bigint, balance: bigint): readonly PooledTransaction[]
  /** Makes pending what became executable, and returns what this added. */
  promote(): readonly PooledTransaction[]
}

/** An empty queue over an account. */
export function createSenderQueue(account: {
  readonly nonce: bigint
  readonly balance: bigint
}): SenderQueue {
  const entries: PooledTransaction[] = []
  let { nonce: accountNonce, balance } = account
  let count = 0
  let cost = 0n

  const pendingNonce = () => accountNonce + BigInt(count)

  function positionOf(nonce: bigint): number {
    let low = 0
    let high = entries.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((entries[middle] as PooledTransaction).transaction.nonce < nonce) low = middle + 1
      else high = middle
    }
    return low
  }

  function cutPending(to: number): void {
    for (const entry of entries.slice(to, count)) cost -= entry.cost
    count = Math.min(count, to)
  }

  return {
    entries,
    pendingCount: () => count,
    pendingCost: () => cost,
    pendingNonce,
    pending: () => entries.slice(0, count),
    queued: () => entries.slice(count),
    find(nonce) {
      const entry = entries[positionOf(nonce)]
      return entry?.transaction.nonce === nonce ? entry : undefined
    },
    put(entry) {
      const at = positionOf(entry.transaction.nonce)
      const old = entries[at]
      if (old?.transaction.nonce !== entry.transaction.nonce) {
        entries.splice(at, 0, entry)
        return undefined
      }
      entries[at] = entry
      if (at < count) cost += entry.cost - old.cost
      return old
    },
    remove(nonce) {
      const at = positionOf(nonce)
      if (entries[at]?.transaction.nonce !== nonce) return
      cutPending(at)
      entries.splice(at, 1)
    },
    setAccount(nonce, newBalance) {
      accountNonce = nonce
      balance = newBalance
      count = 0
      cost = 0n
      const isDropped = (entry: PooledTransaction) =>
        entry.transaction.nonce < nonce || entry.cost > newBalance
      const dropped = entries.filter(isDropped)
      if (dropped.length > 0)
        entries.splice(0, entries.length, ...entries.filter((entry) => !isDropped(entry)))
      return dropped
    },
    promote() {
      const start = count
      for (;;) {
        const next = entries[count]
        if (next === undefined || next.transaction.nonce !== pendingNonce()) break
        if (cost + next.cost > balance) break
        cost += next.cost
        count++
      }
      return entries.slice(start, count)
    },
  }
}
