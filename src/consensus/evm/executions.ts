/** Caches executions of proposals for the next height, so that a decided block need not be executed again. */
import { equalBytes } from '../../base/bytes.ts'
import type { StagedBlock } from '../../ledger/store.ts'
import type { CommitInfo, Misbehavior, ProposedBlock } from '../application.ts'

/** Everything in a block that execution depends on. Its own hash is not: only the next block can see it. */
export type ExecutableBlock = Pick<
  ProposedBlock,
  'height' | 'time' | 'proposerAddress' | 'txs' | 'decidedLastCommit' | 'misbehavior'
>

/** A height usually has few rounds; when there are more proposals, the oldest are executed again. */
const MOST_KEPT = 4

export type Executions = {
  find(block: ExecutableBlock): StagedBlock | undefined
  keep(block: ExecutableBlock, staged: StagedBlock): void
  /** The height is decided: its executions are no longer needed. */
  clear(): void
}

/** The same validators signed. */
function haveSameVotes(a: CommitInfo, b: CommitInfo): boolean {
  return (
    a.votes.length === b.votes.length &&
    a.votes.every((vote, index) => {
      const other = b.votes[index]
      return (
        other !== undefined &&
        vote.blockIdFlag === other.blockIdFlag &&
        equalBytes(vote.validatorAddress, other.validatorAddress)
      )
    })
  )
}

function haveSameMisbehavior(a: readonly Misbehavior[], b: readonly Misbehavior[]): boolean {
  return (
    a.length === b.length &&
    a.every((each, index) => {
      const other = b[index]
      return (
        other !== undefined &&
        each.type === other.type &&
        each.height === other.height &&
        each.time === other.time &&
        equalBytes(each.validatorAddress, other.validatorAddress)
      )
    })
  )
}

function isSame(a: ExecutableBlock, b: ExecutableBlock): boolean {
  return (
    a.height === b.height &&
    a.time === b.time &&
    a.txs.length === b.txs.length &&
    equalBytes(a.proposerAddress, b.proposerAddress) &&
    a.txs.every((tx, index) => equalBytes(tx, b.txs[index] ?? new Uint8Array(0))) &&
    haveSameVotes(a.decidedLastCommit, b.decidedLastCommit) &&
    haveSameMisbehavior(a.misbehavior, b.misbehavior)
  )
}

/** An empty cache. */
export function createExecutions(): Executions {
  let kept: { readonly block: ExecutableBlock; readonly staged: StagedBlock }[] = []
  return {
    find: (block) => kept.find((each) => isSame(each.block, block))?.staged,
    keep(block, staged) {
      kept = [...kept.slice(1 - MOST_KEPT), { block, staged }]
    },
    clear() {
      kept = []
    },
  }
}

/** The staged block under the hash by which it was decided. */
export function withHash(staged: StagedBlock, hash: Uint8Array): StagedBlock {
  return {
    ...staged,
    header: { ...staged.header, hash },
    block: { ...staged.block, header: { ...staged.block.header, hash } },
  }
}
