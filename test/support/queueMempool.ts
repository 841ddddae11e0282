/** A plain pool for applications that have none of their own. */
import { toHexDigits } from '../../src/base/hex.ts'
import { sha256 } from '../../src/base/sha256.ts'
import type { Application } from '../../src/consensus/application.ts'
import { checkTxSize, type EngineMempool } from '../../src/consensus/embedded/mempool.ts'
import { ConsensusError } from '../../src/consensus/engine.ts'

/** First in, first out, for applications without a pool of their own. Nothing is rechecked after a block. */
export function createQueueMempool(application: Application): EngineMempool & { flush(): void } {
  const queue = new Map<string, Uint8Array>()
  // As in CometBFT, a decided transaction is not accepted again.
  const decided = new Set<string>()
  const listeners = new Set<() => void>()
  return {
    async broadcast(tx) {
      checkTxSize(tx)
      const key = toHexDigits(sha256(tx))
      if (queue.has(key) || decided.has(key)) throw new ConsensusError('tx already exists in cache')
      const response = await application.checkTx(tx, false)
      if (response.code !== 0) return response
      queue.set(key, tx)
      for (const listener of listeners) listener()
      return response
    },
    txs: () => [...queue.values()],
    hasTransactions: () => queue.size > 0,
    onTransactions(listener, signal) {
      listeners.add(listener)
      signal.addEventListener('abort', () => listeners.delete(listener), { once: true })
    },
    flush() {
      queue.clear()
      decided.clear()
    },
    update(txs) {
      for (const tx of txs) {
        const key = toHexDigits(sha256(tx))
        queue.delete(key)
        decided.add(key)
      }
    },
  }
}
