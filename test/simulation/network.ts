/** What everything in one simulation shares: time, chance, the nodes and who of them reaches whom. */
import { toHexDigits } from '../../src/base/hex.ts'
import { recoverAddress } from '../../src/base/secp256k1.ts'
import { createTimeBound } from '../../src/consensus/clock/timeBound.ts'
import type { RecoverSender } from '../../src/consensus/mempool/recoverSender.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { proposersOf, testGenesis, type TestGenesis } from '../support/applicationNode.ts'
import { seededRandom, type Random } from '../support/randomProgram.ts'
import { workloadSenders } from '../support/workload.ts'
import { createCometMempools, type CometMempools } from './cometMempool.ts'
import { createDecisions, type Decisions } from './invariants.ts'
import { Crashed, createSimulatedNode, type SimulatedNode } from './node.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'

export const SENDERS = workloadSenders(5)
const VALIDATORS = 4
const EVM = createEngine()

export type SimulationOptions = {
  readonly seed: number
  /** Virtual milliseconds of faults. */
  readonly duration: number
  /** How many validators there are, 4 unless said. */
  readonly validators?: number
  /** Where snapshots are written; without it the late node gets block by block. */
  readonly snapshotFolder?: string
  /** Where nodes keep their stores, each under the lock of its home; without it disks are in memory. */
  readonly storeFolder?: string
}

export type Network = {
  readonly options: SimulationOptions
  readonly genesis: TestGenesis
  /** Addresses of the validators, in their order. */
  readonly proposers: readonly Uint8Array[]
  /** How many validators are more than two thirds. */
  readonly quorum: number
  readonly random: Random
  readonly chance: (percent: number) => boolean
  readonly scheduler: Scheduler
  readonly decisions: Decisions
  /** Faults end when it is healed; everything ends when it is over. */
  readonly phase: { isHealed: boolean; isOver: boolean; failure: unknown }
  readonly counts: {
    rounds: number
    crashes: number
    restored: number
    /** Bits flipped in stores, and processes that ended because they met one. */
    flipped: number
    noticed: number
  }
  readonly validators: readonly SimulatedNode[]
  readonly late: SimulatedNode
  readonly nodes: readonly SimulatedNode[]
  readonly mempools: CometMempools
  /** Who has each decided block, by height from 1 on. */
  readonly holders: Set<SimulatedNode>[]
  pause(): Promise<void>
  /** Whether a process ends now. */
  crashesNow(): boolean
  areConnected(a: SimulatedNode, b: SimulatedNode): boolean
  /** Splits the nodes in two, or joins them. */
  split(isSplit: boolean): void
  /** Runs one of the things that go on at once. What it throws ends all of them, unless a process crashed. */
  go(task: () => Promise<void>): void
}

const recovered = new Map<string, Uint8Array | undefined>()

/** Each sender is recovered once: it is the dearest part of a transfer, and clients sign the same ones under every seed. */
const recoverOnce: RecoverSender = ({ digest, compact, yParity }) => {
  const key = toHexDigits(compact)
  if (!recovered.has(key)) recovered.set(key, recoverAddress(digest, compact, yParity))
  return recovered.get(key)
}

// A genesis costs more than many blocks, and is the same under every seed.
const geneses = new Map<number, TestGenesis>()

function genesisOf(validators: number): TestGenesis {
  const genesis = geneses.get(validators) ?? testGenesis(SENDERS, { validators })
  geneses.set(validators, genesis)
  return genesis
}

/** A network whose nodes do not run yet. */
export function createNetwork(options: SimulationOptions): Network {
  const count = options.validators ?? VALIDATORS
  const genesis = genesisOf(count)
  const random = seededRandom(options.seed)
  const scheduler = createScheduler()
  const decisions = createDecisions()
  const phase: Network['phase'] = { isHealed: false, isOver: false, failure: undefined }
  const chance = (percent: number): boolean => random(1000) < percent * 10
  const pause = (): Promise<void> => scheduler.sleep(random(8))
  const crashesNow = (): boolean => !phase.isHealed && chance(1.5)
  const counts = { rounds: 0, crashes: 0, restored: 0, flipped: 0, noticed: 0 }
  const world = {
    counts,
    genesis,
    evm: EVM,
    recoverSender: recoverOnce,
    decisions,
    snapshotFolder: options.snapshotFolder,
    storeFolder: options.storeFolder,
    real: scheduler.real,
    pause,
    crashesNow,
    isTimely: createTimeBound({
      now: () => genesis.timeNs + BigInt(Math.floor(scheduler.now()) * 1_000_000),
      maxJump: 3_600_000,
      onRefused: () => undefined,
    }),
  }
  const validators = Array.from({ length: count }, (_, index) =>
    createSimulatedNode(`validator ${index}`, world),
  )
  const late = createSimulatedNode('late node', world)
  const nodes = [...validators, late]
  const sides = new Map<SimulatedNode, number>()
  const network: Omit<Network, 'mempools'> = {
    options,
    genesis,
    proposers: proposersOf(count),
    quorum: Math.floor((2 * count) / 3) + 1,
    random,
    chance,
    scheduler,
    decisions,
    phase,
    validators,
    late,
    nodes,
    counts,
    holders: [],
    pause,
    crashesNow,
    areConnected: (a, b) => sides.get(a) === sides.get(b),
    split(isSplit) {
      for (const node of nodes) sides.set(node, isSplit ? random(2) : 0)
    },
    go(task) {
      task().catch((error: unknown) => {
        if (error instanceof Crashed) return
        phase.failure ??= error
        phase.isOver = true
      })
    },
  }
  return Object.assign(network, { mempools: createCometMempools(network) })
}
