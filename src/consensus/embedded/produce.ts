/** Produces one height, from the proposal to the disk, in the order of D53. */
import type { Clock } from '../../base/clock.ts'
import { equalBytes } from '../../base/bytes.ts'
import { sha256 } from '../../base/sha256.ts'
import type { Block, BlockId, Commit, Validator } from '../../proof/comet/types.ts'
import { validatorsHash } from '../../proof/comet/validators.ts'
import { PRECOMMIT } from '../../proof/comet/vote.ts'
import type { Kv } from '../../store/kv.ts'
import type { Application, FinalizeBlockResponse } from '../application.ts'
import type { Genesis } from '../files/genesis.ts'
import { encodeSignState, type SignState } from '../files/signState.ts'
import type { BlockStore, PendingBlock } from './blockStore.ts'
import type { EngineMempool } from './mempool.ts'
import {
  buildProposal,
  commitInfo,
  maxTxBytes,
  nextBlockTime,
  proposedBlock,
  type Proposal,
} from './proposal.ts'
import { signPrecommit, type BlockSigner } from './sign.ts'
import { EngineLimitError, nextState, type EngineState } from './state.ts'

const MILLISECOND = 1_000_000n

/** A block that is on disk, in the form that is announced. */
export type PublishedBlock = {
  readonly height: number
  readonly block: Block
  readonly blockId: BlockId
  readonly result: FinalizeBlockResponse
  /** Validators whose power changed; they sign from height + 2 on. */
  readonly validatorUpdates: readonly Validator[]
}

/** The engine's current position. It changes only when a height is on disk. */
export type Tip = {
  readonly state: EngineState
  /** Undefined before the first block. */
  readonly lastCommit: Commit | undefined
  readonly signState: SignState
}

export type ProducerOptions = {
  readonly genesis: Genesis
  readonly application: Application
  readonly mempool: EngineMempool
  readonly kv: Kv
  readonly store: BlockStore
  readonly signer: BlockSigner
  readonly signStateFile: string
  readonly clock: Clock
}

/** Properties of a block to be made. */
export type BlockWish = {
  /** Whether it takes what the pool offers; true by default. */
  readonly withTransactions?: boolean
  /** Bytes decided ahead of those, for the block of this height. */
  readonly first?: (height: number) => Uint8Array
}

/** The transactions of the next block. */
async function chooseTransactions(
  { application, mempool }: ProducerOptions,
  { state, lastCommit }: Tip,
  proposer: Validator,
  { withTransactions = true, first }: BlockWish,
): Promise<readonly Uint8Array[]> {
  const txs = withTransactions
    ? await application.prepareProposal({
        maxTxBytes: maxTxBytes(state),
        txs: mempool.txs(),
        localLastCommit: commitInfo(state, lastCommit),
        misbehavior: [],
        height: state.height + 1,
        time: nextBlockTime(state, lastCommit),
        nextValidatorsHash: validatorsHash(sha256, state.nextValidators),
        proposerAddress: proposer.address,
      })
    : []
  return first === undefined ? txs : [first(state.height + 1), ...txs]
}

/**
 * The next proposal. A remote signer signs no other one for its height: so it is on disk before the signer sees it, and
 * is proposed again after a crash (D98).
 */
async function propose(options: ProducerOptions, tip: Tip, wish: BlockWish): Promise<Proposal> {
  const { genesis, kv, store, signer } = options
  const { state, lastCommit } = tip
  const height = state.height + 1
  const proposer = proposerOf(tip)
  const earlier = signer.isRemote ? store.proposed(height) : undefined
  const txs = earlier ?? (await chooseTransactions(options, tip, proposer, wish))
  if (signer.isRemote && earlier === undefined) await kv.commit(() => store.propose(height, txs))
  return buildProposal(genesis, state, lastCommit, proposer, txs)
}

/** The new tip, and what to announce. */
export type Made = { readonly tip: Tip; readonly published: PublishedBlock }

function later(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/**
 * Makes the next block: proposes, executes and signs in memory; writes application, block and state in one synced
 * transaction; then the sign state. Returns the new tip and what to announce. After an error the process must end: only
 * a restart can tell what reached the disk.
 */
export async function produceBlock(
  options: ProducerOptions,
  tip: Tip,
  wish: BlockWish = {},
): Promise<Made> {
  const proposal = await propose(options, tip, wish)
  const proposed = proposedBlock(proposal, commitInfo(tip.state, tip.lastCommit))
  if ((await options.application.processProposal(proposed)) !== 'accept')
    throw new EngineLimitError(
      `the application rejects its own proposal for height ${proposed.height}`,
    )
  return decide(options, tip, proposal, undefined)
}

/**
 * Executes a block again that was signed earlier. It keeps its id, its commit and its signature; only the results of
 * execution may differ. Throws EngineLimitError when the state does not lead to that block.
 */
export async function replayBlock(
  options: ProducerOptions,
  tip: Tip,
  { txs, commit }: PendingBlock,
): Promise<Made> {
  const { state, lastCommit } = tip
  const proposal = buildProposal(options.genesis, state, lastCommit, proposerOf(tip), txs)
  if (!equalBytes(proposal.blockId.hash, commit.blockId.hash))
    throw new EngineLimitError(
      `block ${commit.height} cannot be executed again: the state before it leads to another block`,
    )
  return decide(options, tip, proposal, commit)
}

/**
 * The tip with another time in the vote for its last block, which is the time of the next one: at least a millisecond
 * after the last. For development chains, where nothing relies on earlier signatures (D56).
 */
export async function redate(
  { signer }: ProducerOptions,
  tip: Tip,
  wantedNs: bigint,
): Promise<Tip> {
  const { state, lastCommit } = tip
  const own = lastCommit?.signatures[0]
  if (lastCommit === undefined || own === undefined) return tip
  const { height, round, blockId } = lastCommit
  const timeNs = later(wantedNs, state.lastBlockTimeNs + MILLISECOND)
  const vote = { type: PRECOMMIT, height, round, blockId, timeNs } as const
  const signed = await signer.sign(vote)
  return { ...tip, lastCommit: { ...lastCommit, signatures: [{ ...own, ...signed }] } }
}

function proposerOf({ state }: Tip): Validator {
  const proposer = state.validators[0]
  if (proposer === undefined) throw new EngineLimitError('the validator set is empty')
  return proposer
}

/** Signs with the one validator. */
async function commitTo(
  { genesis, signer, clock }: ProducerOptions,
  tip: Tip,
  { block, blockId }: Proposal,
): Promise<{ readonly commit: Commit; readonly signState: SignState }> {
  const { height, timeNs: proposedNs } = block.header
  const timeNs = later(clock.now(), proposedNs + MILLISECOND)
  const vote = { type: PRECOMMIT, height, round: 0, blockId, timeNs } as const
  const signed = await signPrecommit(signer, genesis.chainId, tip.signState, vote)
  const signature = {
    blockIdFlag: 2,
    validatorAddress: signer.address,
    timeNs: signed.timeNs,
    signature: signed.signature,
  } as const
  return { commit: { height, round: 0, blockId, signatures: [signature] }, signState: signed.state }
}

/** Executes a proposal, signs it unless it was decided before, and writes everything. */
async function decide(
  options: ProducerOptions,
  tip: Tip,
  proposal: Proposal,
  decided: Commit | undefined,
): Promise<Made> {
  const { application, genesis, kv, store, signStateFile } = options
  const { state, lastCommit } = tip
  const { block, blockId, size } = proposal
  const { header } = block
  const { height } = header
  const proposed = proposedBlock(proposal, commitInfo(state, lastCommit))
  const result = await application.finalizeBlock(proposed)
  if (result.txResults.length !== block.txs.length)
    throw new EngineLimitError(
      `the application returned ${result.txResults.length} results for ${block.txs.length} transactions`,
    )
  const after = nextState(state, header, blockId, result)

  const { commit, signState } = decided
    ? { commit: decided, signState: tip.signState }
    : await commitTo(options, tip, proposal)

  const write = () => {
    const { retainHeight } = application.commit()
    if (retainHeight > (store.base() ?? genesis.initialHeight)) store.prune(retainHeight)
    store.put({ header, lastCommit: block.lastCommit, blockId, size }, commit, state, after)
  }
  await kv.commit(write, { file: signStateFile, content: encodeSignState(signState) })

  const validatorUpdates = result.validatorUpdates.length > 0 ? after.nextValidators : []
  return {
    tip: { state: after, lastCommit: commit, signState },
    published: { height, block, blockId, result, validatorUpdates },
  }
}
