/**
 * Four validators and one late node under a seed: delays, lost messages, partitions, processes that end between any two
 * steps, lying proposers. In place of CometBFT stands what it promises an application: a proposal that two thirds took
 * may be decided; what is decided every node gets, in order; a start is a handshake.
 */
import { utf8 } from '../../src/base/bytes.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import { recoverAddress } from '../../src/base/secp256k1.ts'
import { signTransaction } from '../../src/chain/signTransaction.ts'
import type { ProposedBlock } from '../../src/consensus/application.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { PROPOSERS, testGenesis } from '../support/applicationNode.ts'
import { pick, seededRandom, type Random } from '../support/randomProgram.ts'
import { workloadSenders } from '../support/workload.ts'
import { checkChain, createDecisions, demand, Violation } from './invariants.ts'
import { Crashed, createSimulatedNode, type SimulatedNode } from './node.ts'
import { createScheduler } from './scheduler.ts'

const VALIDATORS = 4
const QUORUM = 3
const MAX_BYTES = 22_000_000
const GWEI = 1_000_000_000n

const SENDERS = workloadSenders(5)
const GENESIS = testGenesis(SENDERS)
const EVM = createEngine()

/** The sender of each signature: four nodes need it, and it is the dearest part of a transfer. */
const known = new Map<string, Uint8Array | undefined>()

export type SimulationOptions = {
  readonly seed: number
  /** Virtual milliseconds of faults. */
  readonly duration: number
  /** Where snapshots are written; without it the late node gets block by block. */
  readonly snapshotFolder?: string
}

export type SimulationReport = {
  readonly blocks: number
  readonly transactions: number
  readonly rounds: number
  readonly crashes: number
  readonly restored: number
}

/** Something that a proposer may make of a proposal that its application did not. */
function spoilt(random: Random, txs: readonly Uint8Array[]): readonly Uint8Array[] {
  switch (random(5)) {
    case 0:
      return txs.toReversed()
    case 1:
      return txs.slice(1)
    case 2:
      return [...txs, ...txs]
    case 3:
      return [...txs, Uint8Array.from({ length: random(80) }, () => random(256))]
    default:
      return []
  }
}

/** Runs one seed to the end. Throws Violation, which names what was broken. */
export async function simulate(options: SimulationOptions): Promise<SimulationReport> {
  const { duration } = options
  const random = seededRandom(options.seed)
  const scheduler = createScheduler()
  const decisions = createDecisions()
  const chance = (percent: number): boolean => random(1000) < percent * 10
  let isHealed = false
  let isOver = false
  const counts = { rounds: 0, crashes: 0, restored: 0 }
  let failure: unknown

  const world = {
    genesis: GENESIS,
    evm: EVM,
    decisions,
    snapshotFolder: options.snapshotFolder,
    pause: () => scheduler.sleep(random(8)),
    crashesNow: () => !isHealed && chance(1.5),
    recoverSender: ({ digest, compact, yParity }: Parameters<typeof recover>[0]) => {
      const key = toHexDigits(compact)
      if (!known.has(key)) known.set(key, recover({ digest, compact, yParity }))
      return known.get(key)
    },
  }
  const validators = Array.from({ length: VALIDATORS }, (_, index) =>
    createSimulatedNode(`validator ${index}`, world),
  )
  const late = createSimulatedNode('late node', world)
  const nodes = [...validators, late]

  /** The side of the partition that each node is on. */
  let sides = nodes.map(() => 0)
  const areConnected = (a: SimulatedNode, b: SimulatedNode): boolean =>
    sides[nodes.indexOf(a)] === sides[nodes.indexOf(b)]
  /** Who has each decided block. */
  const holders: Set<SimulatedNode>[] = []

  /** Runs one of the things that go on at once. A violation ends all of them. */
  function go(task: () => Promise<void>): void {
    task().catch((error: unknown) => {
      if (error instanceof Crashed) return
      failure ??= error
      isOver = true
    })
  }

  // Transactions: clients number them, give each to some node, and again to another while it is in no block.
  const sent: { readonly raw: Uint8Array; readonly hash: string }[] = []
  const nonces = SENDERS.map(() => 0n)

  function newTransaction(): Uint8Array {
    const from = random(SENDERS.length)
    const sender = SENDERS[from] as (typeof SENDERS)[number]
    const nonce = nonces[from] as bigint
    nonces[from] = nonce + 1n
    const { raw, hash } = signTransaction(
      {
        type: 2,
        chainId: GENESIS.state.rules.chainId,
        nonce,
        maxFeePerGas: 10n * GWEI,
        maxPriorityFeePerGas: BigInt(1 + random(3)) * GWEI,
        gasLimit: 21_000n,
        to: keccak256(utf8(`recipient ${random(20)}`)).slice(12),
        value: BigInt(random(1000)),
        data: new Uint8Array(0),
        accessList: [],
        authorizationList: [],
      },
      sender.privateKey,
    )
    sent.push({ raw, hash: toHexDigits(hash) })
    return raw
  }

  async function give(raw: Uint8Array, to: SimulatedNode): Promise<boolean> {
    const { code } = await to.use(({ application }) => application.checkTx(raw, false))
    return code === 0
  }

  /** One node takes a transaction and tells the others, if nothing comes in between. */
  async function submit(raw: Uint8Array): Promise<void> {
    const first = pick(random, nodes)
    if (!(await give(raw, first))) return
    for (const other of nodes)
      if (other !== first)
        go(async () => {
          await scheduler.sleep(random(60))
          if (areConnected(first, other) && (isHealed || !chance(10))) await give(raw, other)
        })
  }

  async function clients(): Promise<void> {
    while (!isOver) {
      await scheduler.sleep(20 + random(80))
      if (!isHealed) go(() => submit(newTransaction()))
      for (const { raw, hash } of sent)
        if (!decisions.executed.has(hash) && chance(isHealed ? 50 : 3)) go(() => submit(raw))
    }
  }

  function blockOf(txs: readonly Uint8Array[], proposer: number): ProposedBlock {
    const height = decisions.blocks.length + 1
    return {
      txs,
      decidedLastCommit: { round: 0, votes: [] },
      misbehavior: [],
      hash: keccak256(utf8(`${height} ${counts.rounds} ${proposer}`)),
      height,
      time: GENESIS.timeNs + BigInt(Math.floor(scheduler.now()) * 1_000_000),
      nextValidatorsHash: new Uint8Array(32),
      proposerAddress: PROPOSERS[proposer] as Uint8Array,
    }
  }

  /** One round of consensus among those who are there. */
  async function round(): Promise<void> {
    counts.rounds++
    const height = decisions.blocks.length
    const ready = validators.filter((node) => node.isReady() && node.height() === height)
    if (ready.length < QUORUM) return
    const proposer = pick(random, ready)
    const present = ready.filter((node) => areConnected(node, proposer))
    if (present.length < QUORUM) return
    const draft = blockOf([], validators.indexOf(proposer))
    const prepared = await proposer.use(({ application, pool }) =>
      application.prepareProposal({
        ...draft,
        maxTxBytes: MAX_BYTES,
        txs: [...pool.pending().values()]
          .flat()
          .map(({ raw }) => raw)
          .slice(0, random(4)),
        localLastCommit: draft.decidedLastCommit,
      }),
    )
    const isHonest = isHealed || !chance(20)
    const block = { ...draft, txs: isHonest ? prepared : spoilt(random, prepared) }
    await world.pause()
    const verdicts = await Promise.all(
      present.map(async (node) => {
        try {
          if (world.crashesNow()) node.crash()
          return { node, verdict: await node.use((at) => at.application.processProposal(block)) }
        } catch (error) {
          if (error instanceof Crashed) return undefined
          throw error
        }
      }),
    )
    const given = verdicts.filter((verdict) => verdict !== undefined)
    const accepting = given.filter(({ verdict }) => verdict === 'accept')
    demand(
      accepting.length === given.length || accepting.length === 0,
      `nodes disagree about a proposal for ${block.height}`,
    )
    if (isHonest && given.length > 0)
      demand(accepting.length > 0, `an honest proposal for ${block.height} is refused`)
    // Votes may come too late: then another proposal follows.
    if (accepting.length < QUORUM || (!isHealed && chance(15))) return
    decisions.blocks.push(block)
    holders.push(new Set(accepting.map(({ node }) => node)))
  }

  async function consensus(): Promise<void> {
    while (!isOver) {
      await scheduler.sleep(20 + random(40))
      try {
        await round()
      } catch (error) {
        if (!(error instanceof Crashed)) throw error
      }
    }
  }

  /** A node gets what was decided from whoever has it and can be reached. */
  async function followAll(node: SimulatedNode): Promise<void> {
    while (!isOver) {
      const next = holders[node.stored()]
      const isReachable = [...(next ?? [])].some(
        (holder) => holder === node || (holder.running() && areConnected(holder, node)),
      )
      if (next === undefined || !isReachable) {
        await scheduler.sleep(10)
        if (!node.isReady()) throw new Crashed()
        continue
      }
      next.add(node)
      await node.follow()
    }
  }

  /** The life of a node: it runs until it crashes, and starts again some time later. */
  async function live(node: SimulatedNode): Promise<void> {
    while (!isOver) {
      try {
        await node.start()
        await followAll(node)
      } catch (error) {
        if (!(error instanceof Crashed)) throw error
        counts.crashes++
        await scheduler.sleep(isHealed ? 10 : 20 + random(300))
        if (!isHealed && node !== late && chance(10)) node.wipe()
      }
    }
  }

  /** Restores a snapshot of somebody else, chunk by chunk, some of them spoilt on their way. */
  async function restore(): Promise<void> {
    const peer = pick(random, validators)
    const snapshot = peer.running()?.application.listSnapshots()[0]
    if (snapshot === undefined || snapshot.height >= decisions.blocks.length) return
    const appHash = decisions.appHash(snapshot.height)
    await late.start()
    const { application } = late.running() ?? {}
    if (application === undefined) throw new Crashed()
    demand(
      (await application.offerSnapshot({ snapshot, appHash })) === 'accept',
      'no snapshot is taken',
    )
    for (let index = 0; index < snapshot.chunks;) {
      await world.pause()
      if (world.crashesNow()) late.crash()
      const wanted = { ...snapshot, chunk: index }
      const loaded = await scheduler.real(
        peer.use((from) => from.application.loadSnapshotChunk(wanted)),
      )
      const isSpoilt = !isHealed && chance(20)
      const chunk = isSpoilt ? loaded.map((byte) => byte ^ 1) : loaded
      const { result } = await late.use((to) =>
        to.application.applySnapshotChunk({ index, chunk, sender: peer.name }),
      )
      demand(
        result === (isSpoilt || loaded.length === 0 ? 'retry' : 'accept'),
        `a chunk is: ${result}`,
      )
      if (loaded.length === 0) return
      if (!isSpoilt) index++
    }
    const info = await late.use((to) => to.application.info())
    demand(info.lastBlockHeight === snapshot.height, 'the restored height is not the last one')
    late.jumpTo(snapshot.height)
    counts.restored++
  }

  async function joinLate(): Promise<void> {
    await scheduler.sleep(random(duration))
    for (
      let tries = 0;
      options.snapshotFolder !== undefined && tries < 5 && late.height() === 0;
      tries++
    ) {
      try {
        await restore()
      } catch (error) {
        if (!(error instanceof Crashed)) throw error
      }
      if (late.height() === 0) late.crash()
      await scheduler.sleep(100)
    }
    await live(late)
  }

  async function partitions(): Promise<void> {
    while (!isHealed) {
      await scheduler.sleep(random(duration / 3))
      sides = nodes.map(() => (isHealed ? 0 : random(2)))
      await scheduler.sleep(random(duration / 5))
      sides = nodes.map(() => 0)
    }
  }

  const isQuiet = (): boolean =>
    isHealed &&
    sent.every(({ hash }) => decisions.executed.has(hash)) &&
    nodes.every((node) => node.isReady() && node.height() === decisions.blocks.length)

  async function heal(): Promise<void> {
    await scheduler.sleep(duration)
    isHealed = true
    sides = nodes.map(() => 0)
    await scheduler.sleep(20 * duration + 20_000)
    throw new Violation(
      `not everything came to an end: ${sent.length - decisions.executed.size} transactions, heights ${nodes.map((node) => node.height()).join(' ')} of ${decisions.blocks.length}`,
    )
  }

  for (const node of validators) go(() => live(node))
  for (const task of [joinLate, clients, consensus, partitions, heal]) go(task)
  await scheduler.run(() => isOver || isQuiet())
  isOver = true
  if (failure !== undefined) throw failure
  for (const node of nodes) {
    const reader = node.running()?.store.reader
    if (reader !== undefined) checkChain(node.name, reader, decisions)
  }
  return { blocks: decisions.blocks.length, transactions: sent.length, ...counts }
}

function recover({
  digest,
  compact,
  yParity,
}: {
  readonly digest: Uint8Array
  readonly compact: Uint8Array
  readonly yParity: number
}): Uint8Array | undefined {
  return recoverAddress(digest, compact, yParity)
}
