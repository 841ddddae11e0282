/**
 * A chain for development as tests of contracts drive it (D56): blocks on demand, time that is set, edits of the state,
 * accounts that need no key, and snapshots that lead back.
 */
import { toHexDigits } from '../../base/hex.ts'
import { timestampOf, type BlockHeader } from '../../chain/block.ts'
import { encodeEdit, type AccountEdit } from '../../chain/development/edit.ts'
import type { ChainReader } from '../../chain/reader.ts'
import type { Transaction } from '../../chain/transaction.ts'
import type { Consensus } from '../open.ts'
import type { MovableClock } from './time.ts'

const SECOND = 1_000_000_000n
const MILLISECOND = 1_000_000n
/** The lowest height that a chain goes back to: block 1 stands on nothing that could be gone back to. */
const FIRST_HEIGHT = 1

export type Development = {
  /** Takes a raw transaction into the pool and, unless blocks are made otherwise, makes a block of it. Throws PoolRejection. */
  add(raw: Uint8Array): Promise<Transaction>
  /** Makes blocks, the first with what the pool offers, so many seconds apart. */
  mine(count: number, interval?: bigint): Promise<void>
  /** Changes an account in a block of its own. */
  edit(account: AccountEdit): Promise<void>
  /** Sets the base fee of the next block that is mined. */
  setNextBaseFee(baseFeePerGas: bigint): void
  /** Moves the time forward by seconds; gives by how much in all. */
  increaseTime(seconds: bigint): bigint
  /** The time of the next block, in seconds. False when it is not later than that of the last one. */
  setNextTimestamp(seconds: bigint): boolean
  /** The number of a snapshot of now. */
  snapshot(): number
  /** Goes back to a snapshot, which is used up with all later ones. False for an unknown one. Rejects with UserError. */
  revert(id: number): Promise<boolean>
  /** Goes back to block 1. */
  reset(): Promise<void>
  /** Whether each transaction gets a block at once. */
  setAutomine(isOn: boolean): void
  isAutomine(): boolean
  /** Makes a block every so many milliseconds; 0 ends that. */
  setInterval(milliseconds: number): void
  /** Whether anybody may send in the name of this account. */
  isImpersonated(address: Uint8Array): boolean
  setImpersonated(address: Uint8Array, isOn: boolean): void
  /** The same for all accounts. */
  setAllImpersonated(isOn: boolean): void
  /** Takes a transaction out of the pool; whether it was there. */
  drop(hash: Uint8Array): boolean
  /** Calls back when all blocks above a height are gone. */
  onRollBack(listener: (height: number) => void): void
  /** Ends the making of blocks by time. */
  stop(): void
}

type Snapshot = { readonly height: number; readonly timeNs: bigint }

export type DevelopmentOptions = {
  readonly consensus: Pick<Consensus, 'application' | 'engine' | 'pool' | 'flushPool'>
  readonly chain: ChainReader
  readonly time: MovableClock
}

/** Drives the chain of an engine that makes blocks only when it is asked to. */
export function createDevelopment({ consensus, chain, time }: DevelopmentOptions): Development {
  const { engine, pool } = consensus
  const snapshots = new Map<number, Snapshot>()
  const impersonated = new Set<string>()
  const listeners: ((height: number) => void)[] = []
  let isEveryoneImpersonated = false
  let isAutomine = true
  let nextBaseFee: bigint | undefined
  let lastSnapshot = 0
  let timer: NodeJS.Timeout | undefined

  function lastHeader(): BlockHeader {
    const header = chain.header(chain.latestHeight())
    if (header === undefined) throw new RangeError('the last block is not stored')
    return header
  }

  const nextTime = (): bigint => time.next(timestampOf(lastHeader()))

  async function makeBlock(unlessIdle: boolean, timeNs: () => bigint = nextTime): Promise<void> {
    const baseFeePerGas = nextBaseFee
    nextBaseFee = undefined
    await engine.produceBlock({
      unlessIdle,
      timeNs,
      ...(baseFeePerGas !== undefined && {
        first: (height) => encodeEdit({ height, accounts: [], baseFeePerGas }),
      }),
    })
  }

  async function goBack(height: number, timeNs: bigint): Promise<void> {
    await engine.rollBack(height, consensus.application.rollBack)
    time.set(timeNs)
    nextBaseFee = undefined
    consensus.flushPool()
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
        // The clock stands still meanwhile, as far as blocks can have one time.
        timeNs: () => lastHeader().timeNs + MILLISECOND,
        first: (height) => encodeEdit({ height, accounts: [account] }),
      }),
    setNextBaseFee(baseFeePerGas) {
      nextBaseFee = baseFeePerGas
    },
    increaseTime: time.increase,
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
      await goBack(FIRST_HEIGHT, chain.header(FIRST_HEIGHT)?.timeNs ?? time.clock.now())
    },
    setAutomine(isOn) {
      isAutomine = isOn
    },
    isAutomine: () => isAutomine,
    setInterval(milliseconds) {
      clearInterval(timer)
      timer = undefined
      if (milliseconds > 0) timer = setInterval(() => void makeBlock(false), milliseconds)
    },
    isImpersonated: (address) => isEveryoneImpersonated || impersonated.has(toHexDigits(address)),
    setImpersonated(address, isOn) {
      if (isOn) impersonated.add(toHexDigits(address))
      else impersonated.delete(toHexDigits(address))
    },
    setAllImpersonated(isOn) {
      isEveryoneImpersonated = isOn
    },
    drop(hash) {
      const isKnown = pool.get(hash) !== undefined
      pool.update({ touched: [], refused: [hash] })
      return isKnown
    },
    onRollBack: (listener) => void listeners.push(listener),
    stop: () => clearInterval(timer),
  }
}
