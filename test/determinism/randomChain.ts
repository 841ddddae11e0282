/** Thousands of random blocks on a chain of their own, and one digest over everything that they did. */
import { createHash } from 'node:crypto'
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { utf8 } from '../../src/base/bytes.ts'
import { toHexDigits } from '../../src/base/hex.ts'
import type {
  FinalizeBlockResponse,
  Misbehavior,
  ProposedBlock,
  VoteInfo,
} from '../../src/consensus/application.ts'
import { createEngine } from '../../src/evm/createEngine.ts'
import { openKv } from '../../src/store/kv.ts'
import {
  openApplicationNode,
  OPERATORS,
  PROPOSERS,
  proposedBlock,
  testGenesis,
  type ApplicationNode,
} from '../support/applicationNode.ts'
import { pick, seededRandom, type Random } from '../support/randomProgram.ts'
import { createWorkload, workloadSenders } from '../support/workload.ts'

const SENDERS = workloadSenders(20)
const GENESIS = testGenesis(SENDERS)

/** How the blocks come to the application. */
export type Road = {
  /** Decides about restarts and proposals alone: the blocks are the same for every one. */
  readonly seed: number
  /** How many of a thousand blocks find a process that has just started. */
  readonly restarts: number
  /** How many of a hundred were proposals before, some beside others that were not decided. */
  readonly proposals: number
}

export type ChainReport = {
  /** SHA-256 over roots, receipts and answers of every block, as hex digits. */
  readonly digest: string
  readonly transactions: number
  readonly refused: number
  readonly failed: number
  /** Changes of the validator set. */
  readonly updates: number
  readonly restarts: number
}

function textOf(response: FinalizeBlockResponse): string {
  return JSON.stringify(response, (_, value: unknown) => {
    if (typeof value === 'bigint') return value.toString()
    return value instanceof Uint8Array ? toHexDigits(value) : value
  })
}

/** Some validators do not sign, and now and then one signs twice. */
function withVotes(block: ProposedBlock, random: Random): ProposedBlock {
  const votes = PROPOSERS.map((validatorAddress): VoteInfo => ({
    validatorAddress,
    power: 10n,
    blockIdFlag: random(6) === 0 ? 1 : 2,
  }))
  const misbehavior: Misbehavior = {
    type: 'duplicate-vote',
    validatorAddress: pick(random, PROPOSERS),
    validatorPower: 10n,
    height: Math.max(1, block.height - 1),
    time: block.time - 1_000_000_000n,
    totalVotingPower: 40n,
  }
  return {
    ...block,
    decidedLastCommit: { round: 0, votes },
    misbehavior: random(400) === 0 ? [misbehavior] : [],
  }
}

/** Proposals before the decision: perhaps others, perhaps this one. What they come to must not matter. */
async function propose(
  { application }: ApplicationNode,
  block: ProposedBlock,
  random: Random,
): Promise<void> {
  const other = { ...block, txs: block.txs.slice(random(3)).toReversed(), hash: utf8('another') }
  if (random(2) === 0) await application.processProposal(other)
  if (random(3) > 0) await application.processProposal(block)
}

/** Executes `blocks` random blocks, of up to eight transactions each, and commits them. */
export async function runRandomChain(blocks: number, road: Road): Promise<ChainReport> {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'assay-determinism-'))
  const evm = createEngine()
  const digest = createHash('sha256')
  const content = seededRandom(1)
  const chance = seededRandom(road.seed)
  const workload = createWorkload({
    chainId: GENESIS.state.rules.chainId,
    senders: SENDERS,
    random: content,
    operators: OPERATORS,
  })
  const counts = { transactions: 0, refused: 0, failed: 0, updates: 0, restarts: 0 }
  const open = () => {
    const kv = openKv(folder, { isScratch: true })
    return openApplicationNode({ genesis: GENESIS, kv, evm })
  }
  let node = open()

  async function restart(): Promise<void> {
    await node.kv.close()
    node = open()
    counts.restarts++
  }

  try {
    node.application.initChain(GENESIS.initChain)
    for (let height = 1; height <= blocks; height++) {
      const txs = workload.next(content(9), node.store.latest())
      const block = withVotes(proposedBlock(GENESIS, height, txs), content)
      if (chance(1000) < road.restarts) await restart()
      if (chance(100) < road.proposals) await propose(node, block, chance)
      // A process that ends between FinalizeBlock and Commit does it again.
      if (chance(1000) < road.restarts) {
        await node.application.finalizeBlock(block)
        await restart()
      }
      const response = await node.decide(block)
      const { header, receipts } = {
        header: node.store.reader.header(height),
        receipts: node.store.reader.receipts(height),
      }
      if (header === undefined || receipts === undefined)
        throw new RangeError(`block ${height} was not stored`)
      digest.update(header.stateRoot).update(header.receiptsRoot).update(header.transactionsRoot)
      digest.update(header.logsBloom).update(textOf(response))
      counts.transactions += txs.length
      counts.refused += response.txResults.filter(({ code }) => code === 2).length
      counts.updates += response.validatorUpdates.length
      counts.failed += receipts.filter(({ status }) => status === 0).length
    }
    return { digest: digest.digest('hex'), ...counts }
  } finally {
    await node.kv.close()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}
