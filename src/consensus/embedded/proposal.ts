/** Builds the next block from the state, as CometBFT would if it were the only proposer. */
import { sha256 } from '../../base/sha256.ts'
import { identifyBlock } from '../../proof/comet/block.ts'
import { commitHash, EMPTY_COMMIT } from '../../proof/comet/commit.ts'
import { consensusParamsHash, dataHash, evidenceHash } from '../../proof/comet/data.ts'
import type { Block, BlockId, Commit, Validator } from '../../proof/comet/types.ts'
import { validatorsHash } from '../../proof/comet/validators.ts'
import type { CommitInfo, ProposedBlock } from '../application.ts'
import { MAX_BLOCK_BYTES, type Genesis } from '../files/genesis.ts'
import type { EngineState } from './state.ts'

/** CometBFT's block protocol. */
export const BLOCK_PROTOCOL = 11n

// CometBFT's maximum sizes (types/block.go): the block's envelope, the header, a commit and one of its signatures.
const MAX_OVERHEAD = 11n
const MAX_HEADER = 626n
const MAX_COMMIT = 94n
const MAX_COMMIT_SIGNATURE = 111n

export type Proposal = { readonly block: Block; readonly blockId: BlockId; readonly size: number }

/** Space that a block leaves for transactions, in bytes. */
export function maxTxBytes(
  state: Pick<EngineState, 'params'> & { readonly validators: readonly unknown[] },
): number {
  const { maxBytes } = state.params.block
  const signatures = MAX_COMMIT_SIGNATURE * BigInt(state.validators.length)
  const left =
    (maxBytes === -1n ? MAX_BLOCK_BYTES : maxBytes) -
    MAX_OVERHEAD -
    MAX_HEADER -
    MAX_COMMIT -
    signatures
  return Math.max(0, Number(left))
}

/** Time of the next block: BFT time, which with one validator is that of its vote for the last block. */
export function nextBlockTime(state: EngineState, lastCommit: Commit | undefined): bigint {
  return lastCommit?.signatures[0]?.timeNs ?? state.lastBlockTimeNs
}

/** How the last block was decided, in the form that the application receives. */
export function commitInfo(state: EngineState, lastCommit: Commit | undefined): CommitInfo {
  if (lastCommit === undefined) return { round: 0, votes: [] }
  const votes = lastCommit.signatures.map((signature, index) => ({
    validatorAddress: signature.validatorAddress,
    power: state.validators[index]?.power ?? 0n,
    blockIdFlag: signature.blockIdFlag,
  }))
  return { round: lastCommit.round, votes }
}

/** A block of these transactions on top of the state. */
export function buildProposal(
  genesis: Genesis,
  state: EngineState,
  lastCommit: Commit | undefined,
  proposer: Validator,
  txs: readonly Uint8Array[],
): Proposal {
  const commit = lastCommit ?? EMPTY_COMMIT
  const block: Block = {
    header: {
      version: { block: BLOCK_PROTOCOL, app: state.params.version.app },
      chainId: genesis.chainId,
      height: state.height + 1,
      timeNs: nextBlockTime(state, lastCommit),
      lastBlockId: state.lastBlockId,
      lastCommitHash: commitHash(sha256, commit),
      dataHash: dataHash(sha256, txs),
      validatorsHash: validatorsHash(sha256, state.validators),
      nextValidatorsHash: validatorsHash(sha256, state.nextValidators),
      consensusHash: consensusParamsHash(sha256, state.params.block),
      appHash: state.appHash,
      lastResultsHash: state.lastResultsHash,
      evidenceHash: evidenceHash(sha256, []),
      proposerAddress: proposer.address,
    },
    txs,
    lastCommit: commit,
  }
  return { block, ...identifyBlock(sha256, block) }
}

/** The proposal as the application judges and executes it. */
export function proposedBlock(
  { block, blockId }: Proposal,
  decidedLastCommit: CommitInfo,
): ProposedBlock {
  const { header, txs } = block
  return {
    txs,
    decidedLastCommit,
    misbehavior: [],
    hash: blockId.hash,
    height: header.height,
    time: header.timeNs,
    nextValidatorsHash: header.nextValidatorsHash,
    proposerAddress: header.proposerAddress,
  }
}
