/**
 * The transaction pool of the EVM: what it accepts, which transactions are pending or queued, and what the next block
 * gets.
 */
import { EventEmitter } from 'node:events'
import { addressDigits } from '../../base/addressDigits.ts'
import { equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import { recoverAddress } from '../../base/secp256k1.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { isDelegation } from '../../evm/delegation.ts'
import type { Hardfork } from '../../evm/rules.ts'
import { EMPTY_CODE_HASH, type Account, type StateView } from '../../evm/types.ts'
import { maxCost } from '../../evm/validity.ts'
import { PoolRejection, type PoolContent } from '../pool.ts'
import {
  accountOf,
  checkFields,
  checkPlace,
  checkPrice,
  checkReplacement,
  checkSender,
  checkSize,
  decodeForPool,
  withSenderForPool,
} from './admission.ts'
import { authoritiesOf, checkAuthorities, checkInFlight, createDelegations } from './delegations.ts'
import { requireVictim } from './eviction.ts'
import { NO_JOURNAL, type PoolJournal } from './journal/types.ts'
import type { PoolLimits } from './limits.ts'
import type { RecoverSender } from './recoverSender.ts'
import { restoreAll } from './restore.ts'
import { paysEnough, selectTransactions } from './selection.ts'
import type { Mempool, PoolChain } from './types.ts'
import { createSenderQueue, type PooledTransaction, type SenderQueue } from './senderQueue.ts'

const NOBODY: readonly string[] = []

/**
 * How a transaction comes in: from a client of this node; from another node; from the journal; known from CheckTx alone;
 * or only to be checked (D21a).
 */
type Intake = 'add' | 'learn' | 'restore' | 'hold' | 'check'

/** Whether it may displace others, and blocks may have it. */
const isTaken = (intake: Intake): boolean => intake !== 'hold' && intake !== 'check'

/** Whether it is kept over a restart (D64). */
const isKept = (intake: Intake): boolean => intake === 'add' || intake === 'restore'

/** An empty pool. `now` is any monotonic clock in milliseconds. Without a journal nothing survives a restart. */
export function createMempool(
  chain: PoolChain,
  limits: PoolLimits,
  now: () => number,
  recover: RecoverSender = ({ digest, compact, yParity }) =>
    recoverAddress(digest, compact, yParity),
  journal: PoolJournal = NO_JOURNAL,
): Mempool {
  const queues = new Map<string, SenderQueue>()
  const byHash = new Map<string, PooledTransaction>()
  const byRaw = new Map<Uint8Array, Transaction>()
  /** When each sender's queue last changed, the oldest first. */
  const movedAt = new Map<string, number>()
  const events = new EventEmitter<{ pending: [Transaction] }>().setMaxListeners(0)
  const delegations = createDelegations()
  /** What is held back, the oldest first. */
  const held = new Set<PooledTransaction>()
  let updates = 0
  let arrivals = 0
  // No block pays less than the chain's lowest base fee, unless a development chain's is edited, which is meant.
  const minPaid = limits.minGasPrice > chain.minBaseFee ? limits.minGasPrice : 0n
  /** Fork of the next block, once needed. */
  let hardfork: Hardfork | undefined
  let bytes = 0

  journal.attach({
    entries: () => byHash.values(),
    drop(entry) {
      // The journal gives back what it got.
      const pooled = entry as PooledTransaction
      if (byHash.get(pooled.id) === pooled)
        removeFromQueue(addressDigits(pooled.transaction.sender), pooled)
    },
  })

  function forget(entry: PooledTransaction, isMined = false): void {
    if (!byHash.delete(entry.id)) return
    journal.forget(entry, isMined)
    held.delete(entry)
    delegations.remove(entry)
    byRaw.delete(entry.transaction.raw)
    bytes -= entry.transaction.raw.length
  }

  function remember(entry: PooledTransaction): void {
    byHash.set(entry.id, entry)
    byRaw.set(entry.transaction.raw, entry.transaction)
    delegations.add(entry)
    if (entry.heldAt !== undefined) held.add(entry)
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

  function moved(key: string): void {
    movedAt.delete(key)
    movedAt.set(key, now())
  }

  /**
   * A transaction that the pool already has: only one that is held back may come again, or one that was acknowledged
   * before the start. Throws PoolRejection.
   */
  function repeat(entry: PooledTransaction, intake: Intake): Transaction {
    const isWelcome = intake === 'restore' ? entry.journalNumber === 0 : entry.heldAt !== undefined
    if (!isTaken(intake) || !isWelcome) throw new PoolRejection('already known')
    release(entry)
    if (isKept(intake)) journal.record(entry)
    return entry.transaction
  }

  function release(entry: PooledTransaction): void {
    entry.heldAt = undefined
    held.delete(entry)
  }

  async function take(raw: Uint8Array, intake: Intake): Promise<Transaction> {
    checkSize(raw, limits)
    if (intake === 'add') journal.requireRoom(raw)
    const unsigned = chain.decodeUnsigned?.(raw)
    if (unsigned !== undefined) return enter(toHexDigits(unsigned.hash), unsigned, intake)
    const { transaction: signed, signature } = decodeForPool(raw, chain.chainId)
    const id = toHexDigits(signed.hash)
    const known = byHash.get(id)
    if (known !== undefined) return repeat(known, intake)
    const transaction = withSenderForPool(signed, await recover(signature))
    return transaction.type === 4
      ? await enterDelegating(id, transaction, intake)
      : enter(id, transaction, intake)
  }

  async function enterDelegating(
    id: string,
    transaction: Transaction,
    intake: Intake,
  ): Promise<Transaction> {
    // Each authorization costs gas, which bounds how many signatures there are.
    checkAlone(transaction)
    const chainNow = { chainId: chain.chainId, state: chain.latest() }
    return enter(id, transaction, intake, await authoritiesOf(transaction, chainNow, recover))
  }

  /** Checks what needs no account. Throws PoolRejection. */
  function checkAlone(transaction: Transaction): void {
    hardfork ??= chain.nextHardfork()
    checkFields(transaction, limits, chain.blockGasLimit, { hardfork })
    if (minPaid > 0n) checkPrice(transaction, limits, chain)
  }

  function enter(
    id: string,
    transaction: Transaction,
    intake: Intake,
    authorities: readonly string[] = NOBODY,
  ): Transaction {
    // The same bytes may have arrived a second time meanwhile.
    const known = byHash.get(id)
    if (known !== undefined) return repeat(known, intake)
    checkAlone(transaction)
    const entry: PooledTransaction = {
      id,
      transaction,
      cost: maxCost(transaction),
      arrival: arrivals++,
      isAnnounced: false,
      heldAt: intake === 'hold' ? updates : undefined,
      journalNumber: 0,
      authorities,
    }
    const key = addressDigits(transaction.sender)
    try {
      place(key, entry, intake)
    } catch (error) {
      if (!isTaken(intake) || !dropHeld(key, error)) throw error
      place(key, entry, intake)
    }
    return transaction
  }

  const nonceOf = (raw: Uint8Array): bigint =>
    (chain.decodeUnsigned?.(raw) ?? decodeForPool(raw, chain.chainId).transaction).nonce

  /** Drops what is held back of a sender, whose transaction was refused. Returns whether there was any. */
  function dropHeld(key: string, reason: unknown): boolean {
    if (held.size === 0 || !(reason instanceof PoolRejection)) return false
    const entries = queues.get(key)?.entries.filter(({ heldAt }) => heldAt !== undefined) ?? []
    for (const entry of entries) removeFromQueue(key, entry)
    return entries.length > 0
  }

  /** Checks a transaction against its sender, whose account is given, and the pool. Throws PoolRejection. */
  function checkPool(
    key: string,
    entry: PooledTransaction,
    account: Account,
    willBePending: boolean,
  ): void {
    const state = chain.latest()
    const queue = queues.get(key)
    const { transaction } = entry
    checkSender(entry, account, state, queue)
    // On a development chain contracts send transactions too.
    const isDelegated =
      !equalBytes(account.codeHash, EMPTY_CODE_HASH) && isDelegation(state.code(account.codeHash))
    if (isDelegated || delegations.isNamed(key)) checkInFlight(entry, account.nonce, queue)
    checkAuthorities(entry, queues)
    const old = queue?.find(transaction.nonce)
    if (old === undefined) checkPlace(queue, transaction.nonce, willBePending, limits)
    else checkReplacement(old.transaction, transaction, limits)
  }

  /** Checks a transaction and puts it in its place. Throws PoolRejection. */
  function place(key: string, entry: PooledTransaction, intake: Intake): void {
    const { transaction } = entry
    const { sender, nonce } = transaction
    const state = chain.latest()
    const account = accountOf(state, sender)
    const existing = queues.get(key)
    const old = existing?.find(nonce)
    const willBePending = nonce <= (existing?.pendingNonce() ?? account.nonce)
    if (intake !== 'restore') checkPool(key, entry, account, willBePending)
    // What was pooled before a restart kept every limit: only the state may have changed.
    else if (old === undefined || old.heldAt !== undefined) checkSender(entry, account, state)
    else throw new PoolRejection('already replaced')
    const findRoom = () =>
      requireVictim(queues, { key, transaction, willBePending }, limits, chain.nextBaseFee())
    const victim = old === undefined && isFull(transaction) ? findRoom() : undefined
    if (intake === 'check') return
    const mayDisplace = (other: PooledTransaction) => isTaken(intake) || other.heldAt !== undefined
    if (old !== undefined) {
      if (!mayDisplace(old)) return
      forget(old)
    }
    for (let next = victim; next !== undefined;) {
      if (!mayDisplace(next.entry)) return
      removeFromQueue(next.key, next.entry)
      next = isFull(transaction) ? findRoom() : undefined
    }
    join(key, entry, existing ?? createSenderQueue(account), old !== undefined)
    if (isKept(intake)) journal.record(entry)
  }

  function join(
    key: string,
    entry: PooledTransaction,
    queue: SenderQueue,
    isReplacement: boolean,
  ): void {
    queues.set(key, queue)
    moved(key)
    queue.put(entry)
    remember(entry)
    const promoted = queue.promote()
    const isPending = entry.transaction.nonce < queue.pendingNonce()
    announce(isReplacement && isPending ? [entry] : promoted)
  }

  function follow(key: string, queue: SenderQueue, state: StateView): void {
    const sender = queue.entries[0]?.transaction.sender
    if (sender === undefined) return
    const account = accountOf(state, sender)
    const dropped = queue.setAccount(account.nonce, account.balance)
    for (const entry of dropped) forget(entry, true)
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

  /** Drops what CometBFT did not claim as its own. */
  function dropUnclaimed(): void {
    updates++
    for (const entry of held) {
      if ((entry.heldAt ?? updates) + limits.heldLifetime > updates) return
      removeFromQueue(addressDigits(entry.transaction.sender), entry)
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
      if (entry !== undefined) release(entry)
    },
    isHeld: (hash) => byHash.get(toHexDigits(hash))?.heldAt !== undefined,
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
        minGasPrice: minPaid,
        maxGas: chain.blockGasLimit,
        maxBytes,
      })
      return chosen.map(({ transaction }) => transaction.raw)
    },
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
      queues.clear()
      byHash.clear()
      byRaw.clear()
      movedAt.clear()
      delegations.clear()
      held.clear()
      bytes = 0
      journal.clear()
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
      dropUnclaimed()
    },
  }
}
