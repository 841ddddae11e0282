/**
 * Which transaction is evicted from a full pool: the worst-paying among the senders' last transactions, so that no
 * nonce gap results.
 */
import type { Transaction } from '../../chain/transaction.ts'
import { PoolRejection } from '../pool.ts'
import type { PoolLimits } from './limits.ts'
import { effectiveTip } from './selection.ts'
import type { PooledTransaction, SenderQueue } from './senderQueue.ts'

/** A candidate for eviction. */
export type Victim = {
  readonly key: string
  readonly entry: PooledTransaction
  /** Whether no block can have it yet: it is behind a nonce gap, or held back. */
  readonly isQueued: boolean
}

// Queued before pending, then the lower price, then the later arrival.
function isWorse(a: Victim, b: Victim, baseFee: bigint): boolean {
  if (a.isQueued !== b.isQueued) return a.isQueued
  const [left, right] = [a, b].map(({ entry }) => effectiveTip(entry.transaction, baseFee)) as [
    bigint,
    bigint,
  ]
  return left === right ? a.entry.arrival > b.entry.arrival : left < right
}

/**
 * The transaction to evict first. Senders with no more than `guaranteed` pending ones and nothing queued are spared,
 * and so is `spared`, the sender of the new transaction.
 */
function findVictim(
  queues: ReadonlyMap<string, SenderQueue>,
  spared: string,
  guaranteed: number,
  baseFee: bigint,
): Victim | undefined {
  let worst: Victim | undefined
  for (const [key, queue] of queues) {
    const entry = queue.entries.at(-1)
    if (key === spared || entry === undefined) continue
    const isQueued = queue.entries.length > queue.pendingCount() || entry.heldAt !== undefined
    if (!isQueued && queue.pendingCount() <= guaranteed) continue
    const candidate = { key, entry, isQueued }
    if (worst === undefined || isWorse(candidate, worst, baseFee)) worst = candidate
  }
  return worst
}

/** A transaction for which a full pool makes room. */
type Newcomer = {
  /** Its sender. */
  readonly key: string
  readonly transaction: Transaction
  readonly willBePending: boolean
}

/** The transaction that gives way to a better one. Throws PoolRejection when none does. */
export function requireVictim(
  queues: ReadonlyMap<string, SenderQueue>,
  { key, transaction, willBePending }: Newcomer,
  { guaranteedPending }: PoolLimits,
  baseFee: bigint,
): Victim {
  const victim = findVictim(queues, key, guaranteedPending, baseFee)
  if (victim === undefined) throw new PoolRejection('txpool is full')
  if (!victim.isQueued && !willBePending)
    throw new PoolRejection('future transaction tries to replace pending transaction')
  const isBetter =
    effectiveTip(transaction, baseFee) > effectiveTip(victim.entry.transaction, baseFee)
  if (!isBetter && !(victim.isQueued && willBePending))
    throw new PoolRejection(
      'transaction underpriced: the pool is full of better-paying transactions',
    )
  return victim
}
