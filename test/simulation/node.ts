/**
 * One node: our application over a disk in memory, and beside it as much of CometBFT as its contract with an application
 * has: a block store, a state, the answers to decided blocks, and the handshake after a start.
 */
import { UNDIVIDED } from '../../src/base/slices.ts'
import type { FinalizeBlockResponse } from '../../src/consensus/application.ts'
import type { TimeBound } from '../../src/consensus/clock/timeBound.ts'
import type { RecoverSender } from '../../src/consensus/mempool/recoverSender.ts'
import { takeSnapshot } from '../../src/ledger/snapshot/take.ts'
import { openChainTables } from '../../src/ledger/tables.ts'
import { writeSnapshot } from '../../src/consensus/stateSync/snapshotFiles.ts'
import type { SnapshotTaker } from '../../src/consensus/stateSync/taker.ts'
import type { Engine } from '../../src/evm/types.ts'
import type { Kv } from '../../src/store/kv.ts'
import { KvCorruptionError } from '../../src/store/kvError.ts'
import {
  openApplicationNode,
  type ApplicationNode,
  type TestGenesis,
} from '../support/applicationNode.ts'
import type { Random } from '../support/randomProgram.ts'
import { openMemoryKv, type MemoryDisk } from '../support/memoryKv.ts'
import { createFileDisk } from './fileDisk.ts'
import { demand, Violation, type Decisions } from './invariants.ts'

/** The process has ended: whoever waits for it gets this. */
export class Crashed extends Error {
  override readonly name = 'Crashed'
}

export type NodeWorld = {
  readonly genesis: TestGenesis
  readonly evm: Engine
  readonly recoverSender: RecoverSender
  readonly decisions: Decisions
  readonly snapshotFolder: string | undefined
  /** Where nodes keep their stores; undefined for disks in memory. */
  readonly storeFolder: string | undefined
  readonly counts: { noticed: number }
  /** Something that takes real time, while no virtual time passes. */
  real<T>(result: Promise<T>): Promise<T>
  /** Takes some time, in which others go on. */
  pause(): Promise<void>
  /** The bound on the times of proposed blocks. */
  readonly isTimely: TimeBound
  /** Whether a node ends now. Asked between any two steps. */
  crashesNow(): boolean
}

export type SimulatedNode = {
  readonly name: string
  /** Undefined while the process is not running. */
  running(): ApplicationNode | undefined
  /** Whether the handshake is over. */
  isReady(): boolean
  /** The last block in the block store. */
  stored(): number
  /** The last block that everything was done for. */
  height(): number
  /** Starts the process: opens the application and does what CometBFT's handshake would. Throws Crashed. */
  start(): Promise<void>
  crash(): void
  /** Does something with the running application. Throws Crashed when the process ends meanwhile. */
  use<T>(action: (node: ApplicationNode) => Promise<T> | T): Promise<T>
  /** Takes the next decided block, step by step. Throws Crashed. */
  follow(): Promise<void>
  /** Takes what a snapshot gave for the block store and state. */
  jumpTo(height: number): void
  /** Loses the application's disk, as when somebody removes its folder. */
  wipe(): void
  /** Flips a bit of the store's file, between two processes. */
  damage(random: Random): void
  /** Ends the process for good. */
  end(): Promise<void>
}

export function createSimulatedNode(name: string, world: NodeWorld): SimulatedNode {
  const { genesis, decisions } = world
  const files =
    world.storeFolder && createFileDisk(`${world.storeFolder}/${name}`, name, world.real)
  let disk: MemoryDisk = new Map()
  let node: ApplicationNode | undefined
  let process = 0
  let isReady = false
  let stored = 0
  let height = 0
  const answers = new Map<number, FinalizeBlockResponse>()
  let fault: string | undefined

  function openInMemory(own: number): Kv {
    return openMemoryKv(disk, async () => {
      await world.pause()
      // What a process had not committed when it ended is on no disk.
      if (own !== process) throw new Crashed()
    })
  }

  function open(): ApplicationNode {
    const own = ++process
    const kv = files
      ? files.open(
          () => own === process,
          () => new Crashed(),
        )
      : openInMemory(own)
    const folder = world.snapshotFolder && `${world.snapshotFolder}/${name}`
    return openApplicationNode({
      ...world,
      kv,
      startSlices: () => UNDIVIDED,
      store: { checkpointEvery: 3 },
      ...(folder !== undefined && {
        snapshots: {
          folder,
          interval: 5,
          keep: 2,
          taker: takerOf(kv, folder, () => own === process),
          onFault: (reason) => {
            if (own === process) fault = reason
          },
        },
      }),
    })
  }

  /** Takes snapshots as long as its process runs. */
  function takerOf(kv: Kv, folder: string, isRunning: () => boolean): SnapshotTaker {
    const tables = openChainTables(kv)
    function* chunksOf(height: number): Generator<Uint8Array> {
      for (const chunk of takeSnapshot(kv, tables, height, { chunkSize: 4000, stretch: 16 })) {
        if (!isRunning()) throw new Crashed()
        yield chunk
      }
    }
    return {
      take: (height) =>
        writeSnapshot(folder, { height, genesisHash: genesis.hash }, chunksOf(height), world.pause),
      close: async () => {},
    }
  }

  function crash(): void {
    process++
    node = undefined
    isReady = false
    if (files) files.abandon()
  }

  async function use<T>(action: (running: ApplicationNode) => Promise<T> | T): Promise<T> {
    const running = node
    if (running === undefined) throw new Crashed()
    const result = await noticing(() => action(running))
    if (node !== running) throw new Crashed()
    return result
  }

  /** A process that meets damage of its store ends, and whoever runs it gets the chain from its peers. */
  async function noticing<T>(action: () => Promise<T> | T): Promise<T> {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof KvCorruptionError)) throw error
      world.counts.noticed++
      crash()
      if (files) files.wipe()
      throw new Crashed()
    }
  }

  /** A moment at which the process may end. */
  async function between(): Promise<void> {
    const running = node
    await world.pause()
    demand(fault === undefined, `${name}: ${fault}`)
    if (world.crashesNow()) crash()
    if (node === undefined || node !== running) throw new Crashed()
  }

  async function finalize(at: number): Promise<FinalizeBlockResponse> {
    const block = decisions.blocks[at - 1]
    if (block === undefined) throw new Violation(`block ${at} is not decided`)
    const response = await use(({ application }) => application.finalizeBlock(block))
    decisions.finalized(name, at, response)
    return response
  }

  async function commit(): Promise<void> {
    await use(async ({ application, pool, kv }) => {
      await kv.commit(() => {
        application.commit()
      })
      pool.update(application.lastUpdate())
    })
  }

  /** Brings the application to a height that the block store has, without another word. */
  async function replay(to: number): Promise<void> {
    let { lastBlockHeight: at } = await use(({ application }) => application.info())
    while (at < to) {
      const response = await finalize(++at)
      if (at === stored) answers.set(at, response)
      await between()
      await commit()
      await between()
    }
  }

  /** CometBFT's table of what to do after a start, by the heights of application, block store and state. */
  async function handshake(): Promise<void> {
    const info = await use(({ application }) => application.info())
    demand(info.lastBlockHeight <= stored, `${name}: the application is ahead of the block store`)
    if (info.lastBlockHeight === 0) {
      const init = await use(({ application }) => application.initChain(genesis.initChain))
      demand(init.appHash.length === 32, `${name}: InitChain gives no hash`)
    }
    const isCommitted = info.lastBlockHeight === stored
    await replay(stored)
    const { lastBlockAppHash } = await use(({ application }) => application.info())
    if (stored > 0)
      demand(
        Buffer.compare(lastBlockAppHash, decisions.appHash(stored)) === 0,
        `${name}: another hash after the start`,
      )
    // With S = T + 1 and A = S the answer is taken from disk: it must be there.
    if (isCommitted && stored > height)
      demand(answers.has(stored), `${name}: committed block ${stored} before its answer was saved`)
    height = stored
    isReady = true
  }

  return {
    name,
    running: () => node,
    isReady: () => isReady,
    stored: () => stored,
    height: () => height,
    async start() {
      if (files) await files.closed()
      node = await noticing(open)
      await between()
      await handshake()
    },
    crash,
    use,
    async follow() {
      const at = stored + 1
      stored = at
      await between()
      const response = await finalize(at)
      await between()
      answers.set(at, response)
      await between()
      await commit()
      await between()
      height = at
    },
    jumpTo(to) {
      stored = to
      height = to
    },
    wipe() {
      disk = new Map()
      if (files) files.wipe()
    },
    damage(random) {
      if (files) files.damage(random)
    },
    async end() {
      crash()
      if (files) await files.closed()
    },
  }
}
