/** The EVM's pool behind the engine's seam, with CometBFT's cache and words in front of it. */
import { toHexDigits } from '../../base/hex.ts'
import { sha256 } from '../../base/sha256.ts'
import { checkTxSize, type EngineMempool } from '../embedded/mempool.ts'
import { ConsensusError } from '../engine.ts'
import type { Mempool } from '../mempool/mempool.ts'
import type { EvmApplication } from './application.ts'

/** Transactions that CometBFT remembers to have seen, by default. */
const CACHE_SIZE = 10_000

/** The most recently seen keys. */
function createRecentKeys(limit: number) {
  const keys = new Set<string>()
  return {
    has: (key: string) => keys.has(key),
    delete: (key: string) => keys.delete(key),
    add(key: string): void {
      keys.delete(key)
      keys.add(key)
      const [oldest] = keys
      if (keys.size > limit && oldest !== undefined) keys.delete(oldest)
    },
  }
}

/** Proposals come from the pool itself, so `txs` is empty. */
export function createEvmEngineMempool(
  application: EvmApplication,
  pool: Mempool,
  nextBaseFee: () => bigint,
): EngineMempool {
  const seen = createRecentKeys(CACHE_SIZE)
  return {
    async broadcast(tx) {
      checkTxSize(tx)
      const key = toHexDigits(sha256(tx))
      if (seen.has(key)) throw new ConsensusError('tx already exists in cache')
      seen.add(key)
      const response = await application.checkTx(tx, false)
      if (response.code === 0) return response
      seen.delete(key)
      // It came over the Ethereum side before.
      if (response.log === 'already known') throw new ConsensusError('tx already exists in cache')
      if (response.log === 'txpool is full') {
        const { pending, queued } = pool.counts()
        throw new ConsensusError(`mempool is full: number of txs ${pending + queued}`)
      }
      return response
    },
    txs: () => [],
    hasTransactions: () => pool.hasExecutable(),
    onTransactions(listener, signal) {
      pool.onPending(({ maxFeePerGas }) => {
        if (maxFeePerGas >= nextBaseFee()) listener()
      }, signal)
    },
    update(txs) {
      for (const tx of txs) seen.add(toHexDigits(sha256(tx)))
      pool.update(application.lastUpdate())
    },
  }
}
