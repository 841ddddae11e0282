/** Rounds of consensus, as far as an application sees them: a proposal of one, the verdicts of all, perhaps a decision. */
import { utf8 } from '../../src/base/bytes.ts'
import { keccak256 } from '../../src/base/keccak.ts'
import type { ProposedBlock, VoteInfo } from '../../src/consensus/application.ts'
import { pick, type Random } from '../support/randomProgram.ts'
import { demand } from './invariants.ts'
import type { Network } from './network.ts'
import { Crashed, type SimulatedNode } from './node.ts'

/** 400 days, in nanoseconds. */
const CLOCK_JUMP = 400n * 86_400n * 1_000_000_000n
const MAX_BYTES = 22_000_000

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

type Verdict = { readonly node: SimulatedNode; readonly verdict: 'accept' | 'reject' }

/** What each node says that does not crash over it. */
async function verdictsOn(
  { crashesNow }: Network,
  nodes: readonly SimulatedNode[],
  block: ProposedBlock,
): Promise<readonly Verdict[]> {
  const verdicts = await Promise.all(
    nodes.map(async (node): Promise<Verdict | undefined> => {
      try {
        if (crashesNow()) node.crash()
        return { node, verdict: await node.use((at) => at.application.processProposal(block)) }
      } catch (error) {
        if (error instanceof Crashed) return undefined
        throw error
      }
    }),
  )
  return verdicts.filter((verdict) => verdict !== undefined)
}

function draftOf(
  { counts, decisions, genesis, proposers, random, scheduler }: Network,
  proposer: number,
): ProposedBlock {
  const height = decisions.blocks.length + 1
  const votes = proposers.map((validatorAddress): VoteInfo => ({
    validatorAddress,
    power: 10n,
    blockIdFlag: random(8) === 0 ? 1 : 2,
  }))
  return {
    txs: [],
    decidedLastCommit: { round: 0, votes },
    misbehavior: [],
    hash: keccak256(utf8(`${height} ${counts.rounds} ${proposer}`)),
    height,
    time: genesis.timeNs + BigInt(Math.floor(scheduler.now()) * 1_000_000),
    nextValidatorsHash: new Uint8Array(32),
    proposerAddress: proposers[proposer] as Uint8Array,
  }
}

async function propose(
  { mempools, random }: Network,
  proposer: SimulatedNode,
  draft: ProposedBlock,
): Promise<readonly Uint8Array[]> {
  return await proposer.use(({ application }) =>
    application.prepareProposal({
      ...draft,
      maxTxBytes: MAX_BYTES,
      txs: mempools.waiting(proposer).slice(0, random(10)),
      localLastCommit: draft.decidedLastCommit,
    }),
  )
}

async function round(network: Network): Promise<void> {
  const { random, chance, phase, decisions, quorum, validators } = network
  network.counts.rounds++
  const height = decisions.blocks.length
  const ready = validators.filter((node) => node.isReady() && node.height() === height)
  if (ready.length < quorum) return
  const proposer = pick(random, ready)
  const present = ready.filter((node) => network.areConnected(node, proposer))
  if (present.length < quorum) return

  const draft = draftOf(network, validators.indexOf(proposer))
  const prepared = await propose(network, proposer, draft)
  const isHonest = phase.isHealed || !chance(20)
  const isTimely = isHonest || random(6) > 0
  const block = {
    ...draft,
    txs: isHonest || !isTimely ? prepared : spoilt(random, prepared),
    // The votes that the time comes from were cast by clocks that had jumped.
    time: isTimely ? draft.time : draft.time + CLOCK_JUMP,
  }
  await network.pause()
  const verdicts = await verdictsOn(network, present, block)
  const accepting = verdicts.filter(({ verdict }) => verdict === 'accept')
  demand(
    accepting.length === verdicts.length || accepting.length === 0,
    `nodes disagree about a proposal for ${block.height}`,
  )
  demand(isTimely || accepting.length === 0, `a block of next year is accepted for ${block.height}`)
  demand(
    !isHonest || verdicts.length === 0 || accepting.length > 0,
    `an honest proposal for ${block.height} is refused`,
  )
  // Votes may come too late: then another proposal follows.
  if (accepting.length < quorum || (!phase.isHealed && chance(15))) return
  decisions.blocks.push(block)
  network.holders.push(new Set(accepting.map(({ node }) => node)))
}

/** Round after round, to the end. */
export async function runConsensus(network: Network): Promise<void> {
  const { scheduler, random, phase } = network
  while (!phase.isOver) {
    await scheduler.sleep(20 + random(40))
    try {
      await round(network)
    } catch (error) {
      if (!(error instanceof Crashed)) throw error
    }
  }
}
