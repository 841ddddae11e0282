/** When a validator may sign: never two different things for one height, round and step (CometBFT's CheckHRS). */
import { equalBytes } from '../../base/bytes.ts'
import { parseMessage } from '../../proof/comet/protobuf.ts'
import { decodeTimestamp } from '../../proof/comet/time.ts'
import type { SignState } from '../files/signState.ts'

/** A signature that is not given; the message says why. */
export class SignRefusedError extends Error {
  override readonly name: string = 'SignRefusedError'
}

/** The requested signature could contradict an earlier one. */
export class DoubleSignError extends SignRefusedError {
  override readonly name = 'DoubleSignError'
}

/** A signature, and the time that it is over: that of an earlier one if the rest was the same. */
export type Signed = { readonly signature: Uint8Array; readonly timeNs: bigint }

/** What is to be signed. */
export type SignWish = {
  readonly height: number
  readonly round: number
  /** A proposal is 1, a prevote 2, a precommit 3. */
  readonly step: number
  /** Field of the time in the signed record. */
  readonly timeField: number
  signBytes(timeNs: bigint): Uint8Array
}

const STEPS = ['', 'proposal', 'prevote', 'precommit']

function compare(state: SignState, wish: SignWish): number {
  if (wish.height !== state.height) return wish.height - state.height
  if (wish.round !== state.round) return wish.round - state.round
  return wish.step - state.step
}

// Sign bytes start with their length as a varint: one byte, or two when the chain id is long.
function timeOf(signBytes: Uint8Array, field: number): bigint {
  const prefix = (signBytes[0] ?? 0) < 0x80 ? 1 : 2
  return decodeTimestamp(parseMessage(signBytes.subarray(prefix)).message(field))
}

/**
 * The signature that this key has given for the same, apart from the time; undefined if it has given none for this
 * height, round and step, so that it may sign. Throws DoubleSignError where it may not.
 */
export function earlierSignature(state: SignState, wish: SignWish): Signed | undefined {
  const order = compare(state, wish)
  if (order > 0) return undefined
  const at = `height ${wish.height}, round ${wish.round}`
  if (order < 0)
    throw new DoubleSignError(
      `refusing to sign the ${STEPS[wish.step]} of ${at}: this key signed the ${STEPS[state.step]} of height ${state.height}, round ${state.round} already`,
    )
  const { signed } = state
  if (signed === undefined)
    throw new DoubleSignError(`refusing to sign ${at} again: the earlier signature is unknown`)
  const timeNs = timeOf(signed.signBytes, wish.timeField)
  if (!equalBytes(wish.signBytes(timeNs), signed.signBytes))
    throw new DoubleSignError(`refusing to sign ${at}: conflicting data was signed before`)
  return { signature: signed.signature, timeNs }
}
