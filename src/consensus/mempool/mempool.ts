/**
 * The transaction pool of the EVM: what it accepts, which transactions are pending or queued, and what the next block
 * gets.
 */
import { addressDigits } from '../../base/addressDigits.ts'
import { toHexDigits } from '../../base/hex.ts'
import { recoverAddress } from '../../base/secp256k1.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { Hardfork } from '../../evm/rules.ts'
import type { StateView } from '../../evm/types.ts'
import { PoolRejection } from '../pool.ts'
import { accountOf, checkFields, decodeForPool } from './admission.ts'
import { createIntake } from './intake.ts'
import { NO_JOURNAL, type PoolJournal } from './journal/types.ts'
import type { PoolLimits } from './limits.ts'
import { createPoolTable } from './poolTable.ts'
import type { RecoverSender } from './recoverSender.ts'
import { restoreAll } from './restore.ts'
import { paysEnough, selectTransactions } from './selection.ts'
import type { PooledTransaction, SenderQueue } from './senderQueue.ts'
import type { Mempool, PoolChain } from './types.ts'

/** An empty pool. `now` is any monotonic clock in milliseconds. Without a journal nothing survives a restart. */
export function createMempool(
  chain: PoolChain,
  limits: PoolLimits,
  now: () => number,
  recover: RecoverSender = ({ digest, compact, yParity }) =>
    recoverAddress(digest, compact, yParity),
  journal: PoolJournal = NO_JOURNAL,
): Mempool {
  const table = createPoolTable(limits, now, journal)
  const { queues, byHash, byRaw, held, events } = table
  let updates = 0
  // No block pays less than the chain's lowest base fee, unless a development chain's is edited, which is meant.
  const minPaid = limits.minGasPrice > chain.minBaseFee ? limits.minGasPrice : 0n
  /** Fork of the next block, once needed. */
  let hardfork: Hardfork | undefined

  const take = createIntake({
    chain,
    limits,
    recover,
    journal,
    table,
    minPaid,
    updates: () => updates,
    hardfork: () => (hardfork ??= chain.nextHardfork()),
  })

  journal.attach({
    entries: () => byHash.values(),
    drop(entry) {
      // The journal gives back what it got.
      const pooled = entry as PooledTransaction
      if (byHash.get(pooled.id) === pooled)
        table.remove(addressDigits(pooled.transaction.sender), pooled)
    },
  })

  const nonceOf = (raw: Uint8Array): bigint =>
    (chain.decodeUnsigned?.(raw) ?? decodeForPool(raw, chain.chainId).transaction).nonce

  function follow(key: string, queue: SenderQueue, state: StateView): void {
    const sender = queue.entries[0]?.transaction.sender
    if (sender === undefined) return
    const account = accountOf(state, sender)
    const dropped = queue.setAccount(account.nonce, account.balance)
    for (const entry of dropped) table.forget(entry, true)
    const promoted = queue.promote()
    if (dropped.length > 0 || promoted.some(({ isAnnounced }) => !isAnnounced)) table.moved(key)
    table.announce(promoted)
    table.dropIfEmpty(key, queue)
  }

  /** Drops what the next block's fork refuses, where it differs from the last block's. */
  function followFork(): void {
    const next = chain.nextHardfork()
    if (next === hardfork) return
    hardfork = next
    for (const entry of byHash.values()) {
      try {
        checkFields(entry.transaction, limits, chain.blockGasLimit, { hardfork: next })
      } catch (error) {
        if (!(error instanceof PoolRejection)) throw error
        table.remove(addressDigits(entry.transaction.sender), entry)
      }
    }
  }

  /** Drops what CometBFT did not claim as its own. */
  function dropUnclaimed(): void {
    updates++
    for (const entry of held) {
      if ((entry.heldAt ?? updates) + limits.heldLifetime > updates) return
      table.remove(addressDigits(entry.transaction.sender), entry)
    }
  }

  function chosen(baseFee: bigint, maxBytes: number): readonly Transaction[] {
    const entries = selectTransactions(queues.values(), {
      baseFee,
      minGasPrice: minPaid,
      maxGas: chain.blockGasLimit,
      maxBytes,
    })
    return entries.map(({ transaction }) => transaction)
  }

  return {
    add: (raw) => take(raw, 'add'),
    learn: (raw) => take(raw, 'learn'),
    restore: (raws) => restoreAll(raws, nonceOf, (raw) => take(raw, 'restore')),
    kept(hash) {
      const entry = byHash.get(toHexDigits(hash))
      return entry && journal.kept(entry)
    },
    settled: () => journal.settled(),
    check: (raw) => take(raw, 'check'),
    hold: (raw) => take(raw, 'hold'),
    claim(hash) {
      const entry = byHash.get(toHexDigits(hash))
      if (entry !== undefined) table.release(entry)
    },
    isHeld: (hash) => byHash.get(toHexDigits(hash))?.heldAt !== undefined,
    known: (raw) => byRaw.get(raw),
    get: (hash) => byHash.get(toHexDigits(hash))?.transaction,
    pendingNonce(address) {
      const queue = queues.get(addressDigits(address))
      return queue?.pendingNonce() ?? accountOf(chain.latest(), address).nonce
    },
    pending: () => table.content((queue) => queue.pending()),
    queued: () => table.content((queue) => queue.queued()),
    counts() {
      let pending = 0
      for (const queue of queues.values()) pending += queue.pendingCount()
      return { pending, queued: byHash.size - pending }
    },
    onPending(listener, signal) {
      events.on('pending', listener)
      signal.addEventListener('abort', () => events.off('pending', listener), { once: true })
    },
    chosen,
    version: table.version,
    select: (baseFee, maxBytes) => chosen(baseFee, maxBytes).map(({ raw }) => raw),
    hasExecutable() {
      const baseFee = chain.nextBaseFee()
      for (const queue of queues.values()) {
        const [first] = queue.entries
        if (first === undefined || queue.pendingCount() === 0 || first.heldAt !== undefined)
          continue
        if (paysEnough(first.transaction, baseFee, minPaid)) return true
      }
      return false
    },
    flush() {
      table.clear()
      journal.clear()
    },
    update({ touched, refused }) {
      const state = chain.latest()
      for (const hash of refused) {
        const entry = byHash.get(toHexDigits(hash))
        if (entry) table.remove(addressDigits(entry.transaction.sender), entry)
      }
      for (const key of touched) {
        const queue = queues.get(key)
        if (queue !== undefined) follow(key, queue, state)
      }
      followFork()
      table.expire()
      dropUnclaimed()
    },
  }
}
