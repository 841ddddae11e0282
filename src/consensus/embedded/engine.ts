/**
 * The embedded engine (D20): one validator, in process, no network. Its blocks, hashes and signatures are those that
 * CometBFT v0.38 would produce.
 */
import type { Clock } from '../../base/clock.ts'
import { createSerialQueue } from '../../base/serialQueue.ts'
import type { Kv } from '../../store/kv.ts'
import type { Application } from '../application.ts'
import type { ConsensusEngine, ConsensusReader } from '../engine.ts'
import { parseGenesis } from '../files/genesis.ts'
import { loadSignState, writeSignState } from '../files/signState.ts'
import { SigningStoppedError } from '../privval/signerListener.ts'
import { openBlockStore } from './blockStore.ts'
import type { EngineMempool } from './mempool.ts'
import {
  produceBlock,
  redate,
  replayBlock,
  type BlockWish,
  type Made,
  type PublishedBlock,
  type Tip,
} from './produce.ts'
import { nextBlockTime } from './proposal.ts'
import { createReader, type BlockSource } from './reader.ts'
import { checkValidator, recoverSignState, recoverState, signStateOf } from './recover.ts'
import { beforeLastBlock } from './rollback.ts'
import { createSchedule, type Schedule } from './schedule.ts'
import type { BlockSigner } from './sign.ts'

// A block's time is that of the vote for the previous one. Beyond this age an empty block goes first, so that the
// following one has a current timestamp (D23). It exceeds the default interval, or every idle block would come twice.
const STALE_AFTER_NS = 1_500_000_000n

export type EmbeddedEngineOptions = {
  readonly application: Application
  readonly source: BlockSource
  readonly mempool: EngineMempool
  readonly kv: Kv
  /** Text of genesis.json. */
  readonly genesisText: string
  readonly signer: BlockSigner
  /** Path of priv_validator_state.json. */
  readonly signStateFile: string
  readonly node: Omit<ConsensusReader['node'], 'appVersion'>
  readonly clock: Clock
  /** `manual` makes blocks only when `produceBlock` is called. */
  readonly production: 'manual' | { readonly gatherWindow: number; readonly blockInterval: number }
  /** Whether blocks may be rolled back and their heights signed again (D56). */
  readonly isReversible?: boolean
  /** Announces a block. Called once all of it is on disk. */
  readonly publish: (block: PublishedBlock) => void
  /** Ends the process: a write failed, and only a restart can tell what reached the disk (D54). */
  readonly fatal: (error: unknown) => void
}

export type EmbeddedEngine = ConsensusEngine & {
  /** Makes a block now and resolves when it is on disk and announced. */
  produceBlock(wish?: BlockWishNow): Promise<void>
  /**
   * Rolls back all blocks above a height, in one transaction with what `rollBack` undoes for each. Only where the
   * engine is reversible; rejects with UserError where that is impossible.
   */
  rollBack(height: number, rollBack: (height: number) => void): Promise<void>
}

/** Properties of a block made on demand. */
export type BlockWishNow = BlockWish & {
  /** Its time in nanoseconds since 1970, only where the engine is reversible. */
  readonly timeNs?: () => bigint
  /** Skips the block when the pool is empty by then. */
  readonly unlessIdle?: boolean
}

/**
 * Opens the engine on its home and, unless it is manual, starts making blocks. Throws UserError when the home's files
 * contradict each other.
 */
export function openEmbeddedEngine(options: EmbeddedEngineOptions): EmbeddedEngine {
  const { application, mempool, kv, signer, clock, production, signStateFile } = options
  const { genesisText } = options
  const genesis = parseGenesis('genesis.json', genesisText)
  const store = openBlockStore(kv)
  const state = recoverState(application, genesis, store.state())
  checkValidator(state, signer.address)
  const lastCommit = store.seenCommit()
  const pending = store.pending()
  const signing =
    options.isReversible === true && lastCommit !== undefined && pending === undefined
      ? { state: signStateOf(genesis.chainId, lastCommit), isStale: true }
      : recoverSignState(
          genesis.chainId,
          loadSignState(signStateFile),
          state.height,
          lastCommit,
          pending?.commit,
        )
  if (signing.isStale) writeSignState(signStateFile, signing.state)

  let tip: Tip = { state, lastCommit, signState: signing.state }
  let failure: unknown
  let resolveReady = () => {}
  const ready = new Promise<void>((resolve) => (resolveReady = resolve))
  const lifetime = new AbortController()

  const producer = { ...options, genesis, store }

  async function makeBlock(wish: BlockWishNow): Promise<void> {
    const from = wish.timeNs === undefined ? tip : await redate(producer, tip, wish.timeNs())
    announce(await produceBlock(producer, from, wish))
  }

  function announce(made: Made): void {
    tip = made.tip
    mempool.update(made.published.block.txs)
    options.publish(made.published)
  }

  const isStale = () => clock.now() - nextBlockTime(tip.state, tip.lastCommit) > STALE_AFTER_NS

  async function unlessFailed(action: () => Promise<void>): Promise<void> {
    if (failure !== undefined) return
    try {
      await action()
    } catch (error) {
      failure = error
      // The node stops while its signer is away.
      if (!(error instanceof SigningStoppedError)) options.fatal(error)
    }
  }

  async function produceDue(wish: BlockWishNow): Promise<void> {
    // A caller that mines many blocks may still be at it when the store is closed.
    if (lifetime.signal.aborted) return
    if (wish.unlessIdle === true && !mempool.hasTransactions()) return
    if (production !== 'manual' && isStale()) await makeBlock({ withTransactions: false })
    await makeBlock(wish)
    resolveReady()
  }

  // One after the other: each block builds on the previous one.
  const turns = createSerialQueue()
  const produceInTurn = (wish: BlockWishNow = {}) =>
    turns.run(() => unlessFailed(() => produceDue(wish)))

  async function rollBack(height: number, rollBackToo: (height: number) => void): Promise<void> {
    if (lifetime.signal.aborted) return
    kv.write(() => {
      for (let last = tip.state.height; last > height; last--) {
        const { before } = beforeLastBlock(store, genesis, () => [])
        rollBackToo(last)
        store.dropLast(before)
      }
    })
    const [state, lastCommit] = [store.state(), store.seenCommit()]
    if (state === undefined || lastCommit === undefined) return
    const signState = signStateOf(genesis.chainId, lastCommit)
    writeSignState(signStateFile, signState)
    tip = { state, lastCommit, signState }
  }
  if (pending !== undefined)
    void turns.run(() =>
      unlessFailed(async () => announce(await replayBlock(producer, tip, pending))),
    )

  let schedule: Schedule | undefined
  if (production !== 'manual') {
    schedule = createSchedule({
      clock,
      ...production,
      produce: () => produceInTurn(),
      hasTransactions: () => mempool.hasTransactions(),
    })
    mempool.onTransactions(schedule.notify, lifetime.signal)
    schedule.start()
  }

  return {
    reader: createReader({
      genesis,
      genesisText,
      store,
      source: options.source,
      state: () => tip.state,
      node: { ...options.node, appVersion: application.info().appVersion },
      validator: { address: signer.address, publicKey: signer.publicKey },
    }),
    broadcast: (tx, isKept = true) => mempool.broadcast(tx, isKept),
    ready,
    produceBlock: produceInTurn,
    rollBack(height, rollBackToo) {
      if (options.isReversible !== true) throw new RangeError('this chain cannot revert blocks')
      return turns.run(() => rollBack(height, rollBackToo))
    },
    async stop() {
      lifetime.abort()
      await schedule?.stop()
      await turns.run(async () => undefined)
    },
  }
}
