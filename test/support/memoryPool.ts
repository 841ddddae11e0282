/** A transaction pool without rules, for code that reads the pool: everything is pending. */
import { EventEmitter } from 'node:events'
import { equalBytes } from '../../src/base/bytes.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { decodeTransaction, type Transaction } from '../../src/chain/transaction.ts'
import { PoolRejection, type TransactionPool } from '../../src/consensus/pool.ts'
import { CHAIN_ID } from './memoryChain.ts'

export type MemoryPool = TransactionPool & {
  /** The next transaction is refused with this message. */
  refuseNext(message: string): void
}

/** An empty pool; an account's pending nonce is the number of its transactions. */
export function createMemoryPool(chainId = CHAIN_ID): MemoryPool {
  const taken: Transaction[] = []
  const arrivals = new EventEmitter<{ pending: [Transaction] }>()
  let refusal: string | undefined
  const ofSender = (address: Uint8Array): readonly Transaction[] =>
    taken.filter(({ sender }) => equalBytes(sender, address))
  return {
    refuseNext(message) {
      refusal = message
    },
    async add(raw) {
      const message = refusal
      refusal = undefined
      if (message !== undefined) throw new PoolRejection(message)
      const transaction = decodeTransaction(raw, chainId)
      taken.push(transaction)
      arrivals.emit('pending', transaction)
      return transaction
    },
    kept: () => undefined,
    get: (hash) => taken.find((transaction) => equalBytes(transaction.hash, hash)),
    pendingNonce: (address) => BigInt(ofSender(address).length),
    pending: () =>
      new Map(taken.map(({ sender }) => [toHexDigits(sender), ofSender(sender)] as const)),
    queued: () => new Map(),
    chosen: () => [...taken],
    version: () => taken.length,
    counts: () => ({ pending: taken.length, queued: 0 }),
    onPending(listener, signal) {
      arrivals.on('pending', listener)
      signal.addEventListener('abort', () => arrivals.off('pending', listener), { once: true })
    },
  }
}
