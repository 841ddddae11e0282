/** The way into the pool: decodes a transaction, finds its sender, checks it, and puts it in its place. */
import { addressDigits } from '../../base/addressDigits.ts'
import { equalBytes } from '../../base/bytes.ts'
import { toHexDigits } from '../../base/hex.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { isDelegation } from '../../evm/delegation.ts'
import type { Hardfork } from '../../evm/rules.ts'
import { EMPTY_CODE_HASH, type Account } from '../../evm/types.ts'
import { maxCost } from '../../evm/validity.ts'
import { PoolRejection } from '../pool.ts'
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
import { authoritiesOf, checkAuthorities, checkInFlight } from './delegations.ts'
import { requireVictim } from './eviction.ts'
import type { PoolJournal } from './journal/types.ts'
import type { PoolLimits } from './limits.ts'
import type { PoolTable } from './poolTable.ts'
import type { RecoverSender } from './recoverSender.ts'
import { createSenderQueue, type PooledTransaction } from './senderQueue.ts'
import type { PoolChain } from './types.ts'

const NOBODY: readonly string[] = []

/**
 * How a transaction comes in: from a client of this node; from another node; from the journal; known from CheckTx alone;
 * or only to be checked (D21a).
 */
export type Intake = 'add' | 'learn' | 'restore' | 'hold' | 'check'

/** Whether it may displace others, and blocks may have it. */
const isTaken = (intake: Intake): boolean => intake !== 'hold' && intake !== 'check'

/** Whether it is kept over a restart (D64). */
const isKept = (intake: Intake): boolean => intake === 'add' || intake === 'restore'

/** What the intake needs of its pool. */
export type IntakeOptions = {
  readonly chain: PoolChain
  readonly limits: PoolLimits
  readonly recover: RecoverSender
  readonly journal: PoolJournal
  readonly table: PoolTable
  /** The lowest price that is taken, in wei. 0 for none but the chain's own. */
  readonly minPaid: bigint
  /** How often the pool followed a block. */
  readonly updates: () => number
  /** Fork of the next block. */
  readonly hardfork: () => Hardfork
}

/**
 * A function that takes the bytes of a transaction in. It resolves with the transaction, or throws PoolRejection with the
 * reason.
 */
export function createIntake({
  chain,
  limits,
  recover,
  journal,
  table,
  minPaid,
  updates,
  hardfork,
}: IntakeOptions): (raw: Uint8Array, intake: Intake) => Promise<Transaction> {
  const { queues, byHash, held, delegations } = table
  let arrivals = 0

  /**
   * A transaction that the pool already has: only one that is held back may come again, or one that was acknowledged
   * before the start. Throws PoolRejection.
   */
  function repeat(entry: PooledTransaction, intake: Intake): Transaction {
    const isWelcome = intake === 'restore' ? entry.journalNumber === 0 : entry.heldAt !== undefined
    if (!isTaken(intake) || !isWelcome) throw new PoolRejection('already known')
    table.release(entry)
    if (isKept(intake)) journal.record(entry)
    return entry.transaction
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
    checkFields(transaction, limits, chain.blockGasLimit, { hardfork: hardfork() })
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
      heldAt: intake === 'hold' ? updates() : undefined,
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

  /** Drops what is held back of a sender, whose transaction was refused. Returns whether there was any. */
  function dropHeld(key: string, reason: unknown): boolean {
    if (held.size === 0 || !(reason instanceof PoolRejection)) return false
    const entries = queues.get(key)?.entries.filter(({ heldAt }) => heldAt !== undefined) ?? []
    for (const entry of entries) table.remove(key, entry)
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
    const victim = old === undefined && table.isFull(transaction) ? findRoom() : undefined
    if (intake === 'check') return
    const mayDisplace = (other: PooledTransaction) => isTaken(intake) || other.heldAt !== undefined
    if (old !== undefined) {
      if (!mayDisplace(old)) return
      table.forget(old)
    }
    for (let next = victim; next !== undefined;) {
      if (!mayDisplace(next.entry)) return
      table.remove(next.key, next.entry)
      next = table.isFull(transaction) ? findRoom() : undefined
    }
    table.join(key, entry, existing ?? createSenderQueue(account), old !== undefined)
    if (isKept(intake)) journal.record(entry)
  }

  return take
}
