/**
 * A development chain as contract tests drive it (D56): blocks on demand, controllable time, edits of the state,
 * impersonated accounts, and snapshots to revert to.
 */
import { systemClock } from '../../base/clock.ts'
import { toHexDigits } from '../../base/hex.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import { encodeEdit, type AccountEdit, type BlockEdit } from '../../chain/development/edit.ts'
import type { ChainReader } from '../../chain/reader.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { Consensus } from '../open.ts'
import type { MovableClock } from './time.ts'

const SECOND = 1_000_000_000n
const MILLISECOND = 1_000_000n
/** The lowest height that a chain can be rolled back to: block 1 has no predecessor to roll back to. */
const FIRST_HEIGHT = 1

export type Development = {
  /** Adds a raw transaction to the pool and, unless automining is off, mines a block with it. Throws PoolRejection. */
  add(raw: Uint8Array): Promise<Transaction>
  /** Mines `count` blocks, the first with what the pool offers, `interval` seconds apart. */
  mine(count: number, interval?: bigint): Promise<void>
  /** Changes an account in a block of its own. */
  edit(account: AccountEdit): Promise<void>
  /** The next block as a transaction would get it now: its time, and the edit before its transactions. */
  nextBlock(): { readonly timeNs: bigint; readonly edit: Uint8Array | undefined }
  /** Overrides fields of the next block that is mined. */
  setNextBlock(edit: Pick<BlockEdit, 'baseFeePerGas' | 'prevRandao'>): void
  /** Overrides fields of all following blocks. */
  setBlocks(edit: Pick<BlockEdit, 'coinbase' | 'gasLimit'>): void
  /** The coinbase override, if one was set. */
  coinbase(): Uint8Array | undefined
  /** Moves the time forward by seconds; returns the total offset. */
  increaseTime(seconds: bigint): bigint
  /** Sets the time of the next block, in seconds. False when it is not later than that of the last one. */
  setNextTimestamp(seconds: bigint): boolean
  /** Sets the clock to this second; it runs on from there. */
  setTime(seconds: bigint): void
  /**
   * Sets the number of seconds between consecutive blocks; undefined follows the clock. Returns whether it was set
   * before.
   */
  setStep(seconds: bigint | undefined): boolean
  /** Takes a snapshot and returns its number. */
  snapshot(): number
  /**
   * Reverts to a snapshot, which is consumed along with all later ones. False for an unknown one. Rejects with
   * UserError.
   */
  revert(id: number): Promise<boolean>
  /** Rolls back to block 1. */
  reset(): Promise<void>
  /** Rolls back `count` blocks. Rejects with UserError. */
  rollBack(count: number): Promise<void>
  /** Whether each transaction is mined at once. */
  setAutomine(isOn: boolean): void
  isAutomine(): boolean
  /** Sets the interval between mined blocks, in milliseconds; 0 stops interval mining. */
  setInterval(milliseconds: number): void
  /** That interval; 0 when there is none. */
  interval(): number
  /** Whether anyone may send transactions from this account. */
  isImpersonated(address: Uint8Array): boolean
  setImpersonated(address: Uint8Array, isOn: boolean): void
  /** The same for all accounts. */
  setAllImpersonated(isOn: boolean): void
  /** Removes a transaction from the pool; returns whether it was there. */
  drop(hash: Uint8Array): Promise<boolean>
  /** Removes all transactions from the pool. */
  dropAll(): Promise<void>
  /** Calls back when all blocks above a height are gone. */
  onRollBack(listener: (height: number) => void): void
  /** Stops interval mining. */
  stop(): void
}

type Snapshot = { readonly height: number; readonly timeNs: bigint }

export type DevelopmentOptions = {
  readonly consensus: Pick<Consensus, 'application' | 'engine' | 'pool' | 'flushPool'>
  readonly chain: ChainReader
  readonly time: MovableClock
}

/** Drives the chain of an engine that makes blocks only on demand. */
export function createDevelopment({ consensus, chain, time }: DevelopmentOptions): Development {
  const { engine, pool } = consensus
  const snapshots = new Map<number, Snapshot>()
  const impersonated = new Set<string>()
  const listeners: ((height: number) => void)[] = []
  let isEveryoneImpersonated = false
  let isAutomine = true
  let nextBlock: BlockEdit = {}
  let allBlocks: BlockEdit = {}
  let lastSnapshot = 0
  let cancelTimer = (): void => undefined
  let timerMs = 0

  function lastHeader(): BlockHeader {
    const header = chain.header(chain.latestHeight())
    if (header === undefined) throw new RangeError('the last block is not stored')
    return header
  }

  const nextTime = (): bigint => time.next(timestampOf(lastHeader()))

  /** Writes what was set for the next block; undefined where nothing was. */
  function nextEdit(): ((height: number) => Uint8Array) | undefined {
    const edit = { ...allBlocks, ...nextBlock }
    if (Object.keys(edit).length === 0) return undefined
    return (height) => encodeEdit({ height, accounts: [], ...edit })
  }

  async function makeBlock(unlessIdle: boolean, timeNs: () => bigint = nextTime): Promise<void> {
    const first = nextEdit()
    nextBlock = {}
    await engine.produceBlock({ unlessIdle, timeNs, ...(first && { first }) })
  }

  /** The interval starts when the last block is done: blocks that take longer than the interval would pile up. */
  function awaitBlock(): void {
    const cancel = systemClock.setTimer(timerMs, () => {
      void makeBlock(false).then(() => {
        if (cancelTimer === cancel && timerMs > 0) awaitBlock()
      })
    })
    cancelTimer = cancel
  }

  async function goBack(height: number, timeNs: bigint): Promise<void> {
    await engine.rollBack(height, consensus.application.rollBack)
    time.set(timeNs)
    nextBlock = {}
    await consensus.flushPool()
    for (const listener of listeners) listener(height)
  }

  return {
    async add(raw) {
      const transaction = await pool.add(raw)
      if (isAutomine) await makeBlock(true)
      return transaction
    },
    async mine(count, interval) {
      await makeBlock(false)
      for (let made = 1; made < count; made++)
        await (interval === undefined
          ? makeBlock(false)
          : makeBlock(false, () => (timestampOf(lastHeader()) + interval) * SECOND))
      if (interval !== undefined && count > 1) time.set(lastHeader().timeNs)
    },
    edit: (account) =>
      engine.produceBlock({
        withTransactions: false,
        // Meanwhile the clock stands still, up to the millisecond by which block times must differ.
        timeNs: () => lastHeader().timeNs + MILLISECOND,
        first: (height) => encodeEdit({ height, accounts: [account], ...allBlocks }),
      }),
    nextBlock() {
      const last = lastHeader()
      return { timeNs: time.peek(timestampOf(last)), edit: nextEdit()?.(last.height + 1) }
    },
    setNextBlock(edit) {
      nextBlock = { ...nextBlock, ...edit }
    },
    setBlocks(edit) {
      allBlocks = { ...allBlocks, ...edit }
    },
    coinbase: () => allBlocks.coinbase,
    increaseTime: time.increase,
    setTime: (seconds) => time.set(seconds * SECOND),
    setStep: time.setStep,
    setNextTimestamp(seconds) {
      if (seconds <= timestampOf(lastHeader())) return false
      time.setNext(seconds)
      return true
    },
    snapshot() {
      snapshots.set(++lastSnapshot, { height: chain.latestHeight(), timeNs: time.clock.now() })
      return lastSnapshot
    },
    async revert(id) {
      const snapshot = snapshots.get(id)
      if (snapshot === undefined) return false
      for (const later of snapshots.keys()) if (later >= id) snapshots.delete(later)
      await goBack(snapshot.height, snapshot.timeNs)
      return true
    },
    async reset() {
      snapshots.clear()
      impersonated.clear()
      allBlocks = {}
      time.setStep(undefined)
      await goBack(FIRST_HEIGHT, chain.header(FIRST_HEIGHT)?.timeNs ?? time.clock.now())
    },
    async rollBack(count) {
      const height = Math.max(FIRST_HEIGHT, chain.latestHeight() - count)
      for (const [id, snapshot] of snapshots) if (snapshot.height > height) snapshots.delete(id)
      await goBack(height, chain.header(height)?.timeNs ?? time.clock.now())
    },
    setAutomine(isOn) {
      isAutomine = isOn
    },
    isAutomine: () => isAutomine,
    setInterval(milliseconds) {
      cancelTimer()
      timerMs = milliseconds
      if (milliseconds > 0) awaitBlock()
    },
    interval: () => timerMs,
    isImpersonated: (address) => isEveryoneImpersonated || impersonated.has(toHexDigits(address)),
    setImpersonated(address, isOn) {
      if (isOn) impersonated.add(toHexDigits(address))
      else impersonated.delete(toHexDigits(address))
    },
    setAllImpersonated(isOn) {
      isEveryoneImpersonated = isOn
    },
    async drop(hash) {
      const isKnown = pool.get(hash) !== undefined
      pool.update({ touched: [], refused: [hash] })
      await pool.settled()
      return isKnown
    },
    dropAll: consensus.flushPool,
    onRollBack: (listener) => void listeners.push(listener),
    stop() {
      cancelTimer()
      timerMs = 0
    },
  }
}
