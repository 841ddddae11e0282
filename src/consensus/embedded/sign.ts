/** Signs without ever signing two different things for one height, round and step (CometBFT's CheckHRS rules). */
import { equalBytes } from '../../base/bytes.ts'
import type { Ed25519Signer } from '../../base/ed25519.ts'
import { parseMessage } from '../../proof/comet/protobuf.ts'
import { decodeTimestamp } from '../../proof/comet/time.ts'
import { voteSignBytes, type Vote } from '../../proof/comet/vote.ts'
import { STEP_PRECOMMIT, type SignState } from '../files/signState.ts'

/** The requested signature could contradict an earlier one. */
export class DoubleSignError extends Error {
  override readonly name = 'DoubleSignError'
}

/** A signed vote: its time may be that of an earlier vote that was otherwise identical. */
export type SignedVote = {
  readonly signature: Uint8Array
  readonly timeNs: bigint
  /** What must be on disk before the signature leaves the process. */
  readonly state: SignState
}

function compareToState(state: SignState, vote: Vote): number {
  if (vote.height !== state.height) return vote.height - state.height
  if (vote.round !== state.round) return vote.round - state.round
  return STEP_PRECOMMIT - state.step
}

// Sign bytes start with their length as a varint: one byte, or two when the chain id is long.
function timeOfSignBytes(signBytes: Uint8Array): bigint {
  const prefix = (signBytes[0] ?? 0) < 0x80 ? 1 : 2
  return decodeTimestamp(parseMessage(signBytes.subarray(prefix)).message(5))
}

/** Signs a precommit, or returns the signature it already has. Throws DoubleSignError. Writes nothing. */
export function signPrecommit(
  signer: Ed25519Signer,
  chainId: string,
  state: SignState,
  vote: Vote,
): SignedVote {
  const order = compareToState(state, vote)
  const at = `height ${vote.height}, round ${vote.round}`
  if (order < 0)
    throw new DoubleSignError(
      `refusing to sign ${at}: this key signed height ${state.height}, round ${state.round} already`,
    )
  if (order === 0) {
    if (state.signed === undefined)
      throw new DoubleSignError(`refusing to sign ${at} again: the earlier signature is unknown`)
    const timeNs = timeOfSignBytes(state.signed.signBytes)
    if (!equalBytes(voteSignBytes(chainId, { ...vote, timeNs }), state.signed.signBytes))
      throw new DoubleSignError(`refusing to sign ${at}: conflicting data was signed before`)
    return { signature: state.signed.signature, timeNs, state }
  }
  const signBytes = voteSignBytes(chainId, vote)
  const signature = signer.sign(signBytes)
  return {
    signature,
    timeNs: vote.timeNs,
    state: {
      height: vote.height,
      round: vote.round,
      step: STEP_PRECOMMIT,
      signed: { signature, signBytes },
    },
  }
}
