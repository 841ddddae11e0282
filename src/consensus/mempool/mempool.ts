/**
 * The transaction pool of the EVM: what it accepts, which transactions are pending or queued, and what the next block
 * gets.
 */
import { EventEmitter } from 'node:events'
import { addressDigits } from '../../base/addressDigits.ts'
import { toHexDigits } from '../../base/hex.ts'
import { recoverAddress } from '../../base/secp256k1.ts'
import type { SenderSignature, Transaction } from '../../chain/transaction.ts'
import type { Hardfork } from '../../evm/rules.ts'
import type { StateView } from '../../evm/types.ts'
import { maxCost } from '../../evm/validity.ts'
import { PoolRejection, type PoolContent, type TransactionPool } from '../pool.ts'
import {
  accountOf,
  checkFields,
  checkReplacement,
  checkSender,
  checkSize,
  decodeForPool,
  withSenderForPool,
} from './admission.ts'
import { findVictim } from './eviction.ts'
import type { PoolLimits } from './limits.ts'
import { effectiveTip, selectTransactions } from './selection.ts'
import { createSenderQueue, type PooledTransaction, type SenderQueue } from './senderQueue.ts'

/** The pool's view of the chain. */
export type PoolChain = {
  readonly chainId: bigint
  readonly blockGasLimit: bigint
  /** State after the last block. */
  latest(): StateView
  /** Fork of the next block. */
  nextHardfork(): Hardfork
  /** Base fee that the next block would have now. */
  nextBaseFee(): bigint
  /** Decodes an unsigned transaction, where these are allowed (D56). */
  readonly decodeUnsigned?: (raw: Uint8Array) => Transaction | undefined
}

/** Recovers the signer's 20-byte address; undefined when the signature is invalid. May be asynchronous. */
export type RecoverSender = (
  signature: SenderSignature,
) => Uint8Array | undefined | Promise<Uint8Array | undefined>

/** What a committed block changes for the pool. */
export type PoolUpdate = {
  /** Senders, and all other accounts that the block changed, as 40 hex digits. */
  readonly touched: Iterable<string>
  /** Hashes of transactions that were in the block and were refused (D7, code 2). */
  readonly refused: readonly Uint8Array[]
}

export type Mempool = TransactionPool & {
  /** Raw transactions for a block with this base fee: best tip first, nonces in order. */
  select(baseFee: bigint, maxBytes: number): readonly Uint8Array[]
  /**
   * The pooled transaction of the very array that `select` returned: for a block's execution, without hashing it again.
   */
  known(raw: Uint8Array): Transaction | undefined
  /** Whether a block made now would include any transaction. */
  hasExecutable(): boolean
  /** Drops everything. */
  flush(): void
  /** Updates the pool after a block that is on disk. */
  update(update: PoolUpdate): void
}

/** An empty pool. `now` is any monotonic clock in milliseconds. */
export function createMempool(
  chain: PoolChain,
  limits: PoolLimits,
  now: () => number,
  recover: RecoverSender = ({ digest, compact, yParity }) =>
    recoverAddress(digest, compact, yParity),
): Mempool {
  const queues = new Map<string, SenderQueue>()
  const byHash = new Map<string, PooledTransaction>()
  const byRaw = new Map<Uint8Array, Transaction>()
  /** When each sender's queue last changed, the oldest first. */
  const movedAt = new Map<string, number>()
  const events = new EventEmitter<{ pending: [Transaction] }>().setMaxListeners(0)
  let arrivals = 0
  /** Fork of the next block, once needed. */
  let hardfork: Hardfork | undefined
  let bytes = 0

  function forget(entry: PooledTransaction): void {
    if (!byHash.delete(entry.id)) return
    byRaw.delete(entry.transaction.raw)
    bytes -= entry.transaction.raw.length
  }

  function remember(entry: PooledTransaction): void {
    byHash.set(entry.id, entry)
    byRaw.set(entry.transaction.raw, entry.transaction)
    bytes += entry.transaction.raw.length
  }

  function removeFromQueue(key: string, entry: PooledTransaction): void {
    const queue = queues.get(key)
    queue?.remove(entry.transaction.nonce)
    forget(entry)
    // The transactions after it may be queued now.
    if (!movedAt.has(key)) moved(key)
    dropIfEmpty(key, queue)
  }

  function dropIfEmpty(key: string, queue: SenderQueue | undefined): void {
    if (queue === undefined || queue.entries.length > 0) return
    queues.delete(key)
    movedAt.delete(key)
  }

  function announce(entries: readonly PooledTransaction[]): void {
    for (const entry of entries) {
      if (entry.isAnnounced) continue
      entry.isAnnounced = true
      events.emit('pending', entry.transaction)
    }
  }

  const isFull = (incoming: Transaction) =>
    byHash.size >= limits.size || bytes + incoming.raw.length > limits.maxBytes

  function makeRoom(key: string, { transaction }: PooledTransaction, willBePending: boolean): void {
    while (isFull(transaction)) {
      const baseFee = chain.nextBaseFee()
      const victim = findVictim(queues, key, limits.guaranteedPending, baseFee)
      if (victim === undefined) throw new PoolRejection('txpool is full')
      if (!victim.isQueued && !willBePending)
        throw new PoolRejection('future transaction tries to replace pending transaction')
      const isBetter =
        effectiveTip(transaction, baseFee) > effectiveTip(victim.entry.transaction, baseFee)
      if (!isBetter && !(victim.isQueued && willBePending))
        throw new PoolRejection(
          'transaction underpriced: the pool is full of better-paying transactions',
        )
      removeFromQueue(victim.key, victim.entry)
    }
  }

  function checkPlace(queue: SenderQueue | undefined, nonce: bigint, willBePending: boolean): void {
    const pooled = queue?.entries.length ?? 0
    if (pooled >= limits.senderLimit)
      throw new PoolRejection(`account limit exceeded: pooled ${pooled} txs`)
    const queued = pooled - (queue?.pendingCount() ?? 0)
    if (!willBePending && queued >= limits.queueLimit)
      throw new PoolRejection(
        `account limit exceeded: ${queued} txs wait for a nonce below ${nonce}`,
      )
  }

  function moved(key: string): void {
    movedAt.delete(key)
    movedAt.set(key, now())
  }

  /** Throws PoolRejection for a transaction that is already in the pool. */
  function requireNew(id: string): void {
    if (byHash.has(id)) throw new PoolRejection('already known')
  }

  async function add(raw: Uint8Array): Promise<Transaction> {
    checkSize(raw, limits)
    const unsigned = chain.decodeUnsigned?.(raw)
    if (unsigned !== undefined) return enter(toHexDigits(unsigned.hash), unsigned)
    const { transaction: signed, signature } = decodeForPool(raw, chain.chainId)
    const id = toHexDigits(signed.hash)
    requireNew(id)
    // The same bytes may arrive a second time meanwhile.
    return enter(id, withSenderForPool(signed, await recover(signature)))
  }

  function enter(id: string, transaction: Transaction): Transaction {
    requireNew(id)
    hardfork ??= chain.nextHardfork()
    checkFields(transaction, limits, chain.blockGasLimit, { hardfork })
    const { sender, nonce } = transaction
    const key = addressDigits(sender)
    const entry = {
      id,
      transaction,
      cost: maxCost(transaction),
      arrival: arrivals++,
      isAnnounced: false,
    }
    const state = chain.latest()
    const account = accountOf(state, sender)
    const existing = queues.get(key)
    checkSender(entry, account, state, existing)

    const willBePending = nonce <= (existing?.pendingNonce() ?? account.nonce)
    const old = existing?.find(nonce)
    if (old !== undefined) {
      checkReplacement(old.transaction, transaction, limits)
      forget(old)
    } else {
      checkPlace(existing, nonce, willBePending)
      makeRoom(key, entry, willBePending)
    }
    const queue = existing ?? createSenderQueue(account)
    queues.set(key, queue)
    moved(key)
    queue.put(entry)
    remember(entry)
    const promoted = queue.promote()
    announce(old !== undefined && nonce < queue.pendingNonce() ? [entry] : promoted)
    return transaction
  }

  function follow(key: string, queue: SenderQueue, state: StateView): void {
    const sender = queue.entries[0]?.transaction.sender
    if (sender === undefined) return
    const account = accountOf(state, sender)
    const dropped = queue.setAccount(account.nonce, account.balance)
    dropped.forEach(forget)
    const promoted = queue.promote()
    if (dropped.length > 0 || promoted.some(({ isAnnounced }) => !isAnnounced)) moved(key)
    announce(promoted)
    dropIfEmpty(key, queue)
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
        removeFromQueue(addressDigits(entry.transaction.sender), entry)
      }
    }
  }

  function expire(): void {
    const limit = now() - limits.queueLifetime
    for (const [key, time] of movedAt) {
      if (time > limit) return
      // What is pending stays; the queue's lifetime starts at its next change.
      movedAt.delete(key)
      for (const entry of queues.get(key)?.queued() ?? []) removeFromQueue(key, entry)
    }
  }

  function content(group: (queue: SenderQueue) => readonly PooledTransaction[]): PoolContent {
    const result = new Map<string, readonly Transaction[]>()
    for (const [key, queue] of queues) {
      const entries = group(queue)
      if (entries.length > 0)
        result.set(
          key,
          entries.map(({ transaction }) => transaction),
        )
    }
    return result
  }

  return {
    add,
    known: (raw) => byRaw.get(raw),
    get: (hash) => byHash.get(toHexDigits(hash))?.transaction,
    pendingNonce(address) {
      const queue = queues.get(addressDigits(address))
      return queue?.pendingNonce() ?? accountOf(chain.latest(), address).nonce
    },
    pending: () => content((queue) => queue.pending()),
    queued: () => content((queue) => queue.queued()),
    counts() {
      let pending = 0
      for (const queue of queues.values()) pending += queue.pendingCount()
      return { pending, queued: byHash.size - pending }
    },
    onPending(listener, signal) {
      events.on('pending', listener)
      signal.addEventListener('abort', () => events.off('pending', listener), { once: true })
    },
    select(baseFee, maxBytes) {
      const chosen = selectTransactions(queues.values(), {
        baseFee,
        maxGas: chain.blockGasLimit,
        maxBytes,
      })
      return chosen.map(({ transaction }) => transaction.raw)
    },
    hasExecutable() {
      const baseFee = chain.nextBaseFee()
      for (const queue of queues.values()) {
        const [first] = queue.entries
        if (first && queue.pendingCount() > 0 && first.transaction.maxFeePerGas >= baseFee)
          return true
      }
      return false
    },
    flush() {
      queues.clear()
      byHash.clear()
      byRaw.clear()
      movedAt.clear()
      bytes = 0
    },
    update({ touched, refused }) {
      const state = chain.latest()
      for (const hash of refused) {
        const entry = byHash.get(toHexDigits(hash))
        if (entry) removeFromQueue(addressDigits(entry.transaction.sender), entry)
      }
      for (const key of touched) {
        const queue = queues.get(key)
        if (queue !== undefined) follow(key, queue, state)
      }
      followFork()
      expire()
    },
  }
}
