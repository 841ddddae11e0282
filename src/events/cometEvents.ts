/** The consensus engine's events for a committed block, as subscribers receive them. */
import { toUpperHexDigits } from '../base/hex.ts'
import { sha256 } from '../base/sha256.ts'
import type { Commit } from '../proof/comet/types.ts'
import type { CommittedBlock } from './bus.ts'
import { createCometEvent, type CometEvent, type RoundStep } from './cometEvent.ts'

/** Consensus hash of a transaction: SHA-256 of its bytes (D21), upper-case hex as CometBFT writes it. */
export function consensusHashText(tx: Uint8Array): string {
  return toUpperHexDigits(sha256(tx))
}

/** How a block was decided. */
export type Decision = {
  /** The commit by which this node decided it. */
  readonly commit: Commit | undefined
  /** Consensus address of the only validator, which proposes every block. */
  readonly proposer: Uint8Array
}

function roundState(name: string, height: number, step: RoundStep): CometEvent {
  return createCometEvent(name, { type: 'RoundState', height, step })
}

const newStep = (height: number, step: RoundStep): CometEvent =>
  roundState('NewRoundStep', height, step)

/**
 * The round that decided a block, from its proposal to its commit. It contains one vote: the embedded engine signs only
 * precommits, because no other validator waits for its prevote.
 */
function decidingRound({ height, blockId }: CommittedBlock, { commit }: Decision): CometEvent[] {
  const votes = commit?.signatures ?? []
  return [
    newStep(height, 'RoundStepPropose'),
    createCometEvent('CompleteProposal', { type: 'CompleteProposal', height, blockId }),
    newStep(height, 'RoundStepPrevote'),
    roundState('ValidBlock', height, 'RoundStepPrevote'),
    roundState('Polka', height, 'RoundStepPrevote'),
    roundState('Lock', height, 'RoundStepPrevote'),
    newStep(height, 'RoundStepPrecommit'),
    ...votes.map((signature) =>
      createCometEvent('Vote', { type: 'Vote', height, blockId, signature }),
    ),
    newStep(height, 'RoundStepCommit'),
  ]
}

function transactionEvents({ height, block, result }: CommittedBlock): CometEvent[] {
  return block.txs.flatMap((tx, index) => {
    const txResult = result.txResults[index]
    if (txResult === undefined) return []
    return createCometEvent('Tx', { type: 'Tx', height, index, tx, result: txResult }, () => ({
      events: txResult.events,
      more: { 'tx.hash': consensusHashText(tx), 'tx.height': String(height) },
    }))
  })
}

/**
 * The events of a block in CometBFT's order: the round that decided it, the block, its header, its own events, its
 * transactions, its validators, and the start of the next round.
 */
export function cometEvents(committed: CommittedBlock, decision: Decision): readonly CometEvent[] {
  const { height, block, blockId, result, validatorUpdates: validators } = committed
  const blockEvents = () => ({ events: result.events })
  const { proposer } = decision
  return [
    ...decidingRound(committed, decision),
    createCometEvent('NewBlock', { type: 'NewBlock', block, blockId, result }, blockEvents),
    createCometEvent('NewBlockHeader', { type: 'NewBlockHeader', header: block.header }),
    createCometEvent(
      'NewBlockEvents',
      { type: 'NewBlockEvents', height, events: result.events, txCount: block.txs.length },
      blockEvents,
    ),
    ...transactionEvents(committed),
    ...(validators.length > 0
      ? [createCometEvent('ValidatorSetUpdates', { type: 'ValidatorSetUpdates', validators })]
      : []),
    newStep(height + 1, 'RoundStepNewHeight'),
    createCometEvent('NewRound', { type: 'NewRound', height: height + 1, proposer }),
  ]
}
