/**
 * The engine `cometbft` (D20): the application behind a real CometBFT, which this node runs itself or which runs
 * elsewhere. CometBFT is responsible for blocks, votes, peers and the consensus RPC.
 */
import type { Clock } from '../../base/clock.ts'
import { UserError } from '../../base/errors.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Log } from '../../base/log.ts'
import type { Kv } from '../../store/kv.ts'
import { startAbciServer, type AbciAddress } from '../abci/server.ts'
import type { EvmApplication } from '../evm/application.ts'
import type { Mempool } from '../mempool/types.ts'
import type { TransactionPool } from '../pool.ts'
import { createRemoteApplication, OutOfOrderError } from './application.ts'
import { createGossip } from './gossip.ts'
import { createOffers } from './offers.ts'
import { createMonitor, type Monitor } from './monitor.ts'
import { createNewcomers } from './newcomers.ts'
import { createCometRpcClient, MAX_BATCH, MAX_OWN_BATCH } from './rpc.ts'

export type CometbftEngineOptions = {
  readonly application: EvmApplication
  readonly pool: Mempool
  readonly kv: Kv
  readonly chainId: string
  /** `app_state` of genesis.json. */
  readonly appState: Uint8Array
  /** Where CometBFT connects to the application. */
  readonly abciAddress: AbciAddress
  /** CometBFT's RPC, as an http URL. */
  readonly rpcUrl: string
  /**
   * Starts CometBFT, given `proxy_app`, and returns a function that stops it; undefined where CometBFT runs elsewhere.
   */
  readonly launch: ((abciUrl: string) => Promise<() => Promise<void>>) | undefined
  /**
   * Whether CometBFT's pool is known to be the application's (D99). Where CometBFT runs elsewhere, its first request to
   * that pool tells.
   */
  readonly isAppMempool: boolean
  /** Maximum number of transactions in the pool. */
  readonly poolSize: number
  /** Called with the height of a block that is on disk. Must not throw. */
  readonly publish: (height: number) => void
  readonly log: Log
  readonly clock: Clock
  /** Ends the process (D54). */
  readonly fatal: (error: unknown) => void
}

export type CometbftEngine = {
  /** The application's pool; what it accepts is sent to every other node. */
  readonly pool: TransactionPool & Pick<Mempool, 'restore'>
  readonly monitor: Monitor
  /**
   * Resolves with the consensus address of the CometBFT node, once it answers and block 1 is on disk (D44). Rejects
   * when the engine is stopped earlier, or with UserError when that CometBFT belongs to another chain.
   */
  readonly ready: Promise<Uint8Array>
  stop(): Promise<void>
}

/** Listens for CometBFT, and starts it if this node runs it. Throws UserError. */
export async function openCometbftEngine(options: CometbftEngineOptions): Promise<CometbftEngine> {
  const { application, pool, log, clock } = options
  const lifetime = new AbortController()
  const { signal } = lifetime
  const client = createCometRpcClient(options.rpcUrl, signal)
  const isWanted = (hash: Uint8Array): boolean => pool.get(hash) !== undefined
  const broadcasts = createGossip({
    client,
    isWanted,
    batchLimit: options.launch === undefined ? MAX_BATCH : MAX_OWN_BATCH,
    log,
    signal,
  })
  const offers = createOffers(isWanted, options.poolSize)
  let { isAppMempool } = options
  const gossip = {
    send: (hash: Uint8Array, raw: Uint8Array) =>
      (isAppMempool ? offers : broadcasts).send(hash, raw),
  }

  let onFirstBlock: () => void = () => undefined
  const firstBlock = new Promise<void>((resolve) => (onFirstBlock = resolve))
  if (application.info().lastBlockHeight > 0) onFirstBlock()

  /** CometBFT's pool does not survive a restart of CometBFT; ours does. A dry run is never sent (D21a). */
  function sendAll(): void {
    for (const group of [pool.pending(), pool.queued()])
      for (const transactions of group.values())
        for (const { hash, raw } of transactions) if (!pool.isHeld(hash)) gossip.send(hash, raw)
  }

  /** The application mempool gossips each transaction once, and to nobody who starts or catches up at that time. */
  const newcomers = createNewcomers(clock, signal, () => {
    if (isAppMempool) sendAll()
  })
  const monitor = createMonitor(client, options.chainId, clock, signal, newcomers.look)

  const server = await startAbciServer(options.abciAddress, {
    application: createRemoteApplication({
      ...options,
      onCommitted(height) {
        options.publish(height)
        onFirstBlock()
      },
      gossip: {
        isAppMempool: () => isAppMempool,
        onTaken: (raw) => isAppMempool && offers.send(keccak256(raw), raw),
        reap(maxBytes) {
          if (!isAppMempool) {
            isAppMempool = true
            sendAll()
          }
          return offers.reap(maxBytes)
        },
      },
    }),
    onArrival: sendAll,
    onRefused: (reason) => log.error({ reason }, 'a connection of CometBFT was closed'),
    onFault(error) {
      if (error instanceof OutOfOrderError) return
      // A CometBFT elsewhere may have other files, and come back with the right ones; ours would only try again.
      if (error instanceof UserError && options.launch === undefined)
        log.error({ advice: error.advice }, error.message)
      else options.fatal(error)
    },
  })
  let stopProcess: (() => Promise<void>) | undefined
  try {
    stopProcess = await options.launch?.(server.url)
  } catch (error) {
    await server.close()
    throw error
  }
  const stopped = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('the node is stopping')), {
      once: true,
    })
  })
  return {
    pool: {
      ...pool,
      async add(raw) {
        const transaction = await pool.add(raw)
        // The answer is that the pool has it; CometBFT hears of it meanwhile.
        gossip.send(transaction.hash, transaction.raw)
        return transaction
      },
      async restore(raws) {
        const restored = await pool.restore(raws)
        for (const { hash, raw } of restored) gossip.send(hash, raw)
        return restored
      },
    },
    monitor,
    ready: Promise.race([Promise.all([monitor.first, firstBlock]), stopped]).then(
      ([status]) => status.validatorAddress,
    ),
    async stop() {
      lifetime.abort()
      // CometBFT first: it treats a closed connection as a crash.
      await stopProcess?.()
      await server.close()
    },
  }
}
