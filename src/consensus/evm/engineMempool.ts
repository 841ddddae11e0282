/** The EVM's pool behind the engine's interface, with CometBFT's cache and messages in front of it. */
import { toHexDigits } from '../../base/hex.ts'
import { keccak256 } from '../../base/keccak.ts'
import { sha256 } from '../../base/sha256.ts'
import { checkTxSize, type EngineMempool } from '../embedded/mempool.ts'
import { ConsensusError } from '../engine.ts'
import type { Mempool } from '../mempool/types.ts'
import { PoolRejection } from '../pool.ts'
import type { EvmApplication } from './application.ts'

/** Size of CometBFT's cache of seen transactions, by default. */
const CACHE_SIZE = 10_000

/** The most recently seen transactions, by their SHA-256. */
function createRecentTransactions(limit: number) {
  const keys = new Set<string>()
  // Those of blocks are hashed on demand: most chains receive transactions only through the Ethereum RPC.
  let unhashed: Uint8Array[] = []

  function add(key: string): void {
    keys.delete(key)
    keys.add(key)
    const [oldest] = keys
    if (keys.size > limit && oldest !== undefined) keys.delete(oldest)
  }

  function settle(): void {
    for (const tx of unhashed.slice(-limit)) add(toHexDigits(sha256(tx)))
    unhashed = []
  }

  return {
    has(key: string): boolean {
      settle()
      return keys.has(key)
    },
    delete: (key: string) => keys.delete(key),
    clear(): void {
      keys.clear()
      unhashed = []
    },
    add,
    addAll(txs: readonly Uint8Array[]): void {
      for (const tx of txs) unhashed.push(tx)
      if (unhashed.length > 2 * limit) unhashed = unhashed.slice(-limit)
    },
  }
}

/** Proposals come from the pool itself, so `txs` is empty. */
export function createEvmEngineMempool(
  application: Pick<EvmApplication, 'takeTx' | 'lastUpdate'>,
  pool: Mempool,
  nextBaseFee: () => bigint,
): EngineMempool & { flush(): Promise<void> } {
  const seen = createRecentTransactions(CACHE_SIZE)
  /** Whether the engine has been told that there is something for the next block: further transactions add nothing. */
  let hasTold = false

  async function kept(hash: Uint8Array, key: string): Promise<void> {
    try {
      await pool.kept(hash)
    } catch (error) {
      if (!(error instanceof PoolRejection)) throw error
      seen.delete(key)
      throw new ConsensusError(error.message)
    }
  }

  return {
    async broadcast(tx, isKept) {
      checkTxSize(tx)
      const key = toHexDigits(sha256(tx))
      if (seen.has(key)) throw new ConsensusError('tx already exists in cache')
      // It arrived through the Ethereum RPC earlier.
      const hash = keccak256(tx)
      if (pool.get(hash) !== undefined) throw new ConsensusError('tx already exists in cache')
      seen.add(key)
      const response = await application.takeTx(tx, isKept)
      if (response.code === 0) {
        if (isKept) await kept(hash, key)
        return response
      }
      seen.delete(key)
      if (response.log === 'txpool is full') {
        const { pending, queued } = pool.counts()
        throw new ConsensusError(`mempool is full: number of txs ${pending + queued}`)
      }
      return response
    },
    txs() {
      hasTold = false
      return []
    },
    hasTransactions: () => pool.hasExecutable(),
    onTransactions(listener, signal) {
      pool.onPending(({ maxFeePerGas }) => {
        if (hasTold || maxFeePerGas < nextBaseFee()) return
        hasTold = true
        listener()
      }, signal)
    },
    async flush() {
      pool.flush()
      seen.clear()
      await pool.settled()
    },
    update(txs) {
      seen.addAll(txs)
      pool.update(application.lastUpdate())
    },
  }
}
