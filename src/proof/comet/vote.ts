/** What a validator signs (CometBFT canonical.proto). */
import { concatBytes } from '../../base/bytes.ts'
import { encodeBlockId, isNilBlockId } from './blockId.ts'
import {
  lengthDelimited,
  messageField,
  sfixed64Field,
  stringField,
  varintField,
} from './protobuf.ts'
import { encodeTimestamp } from './time.ts'
import type { BlockId } from './types.ts'

/** Types of votes, as they are signed. */
export const PREVOTE = 1
export const PRECOMMIT = 2

export type Vote = {
  readonly type: typeof PREVOTE | typeof PRECOMMIT
  readonly height: number
  readonly round: number
  /** NIL_BLOCK_ID for a vote against every block. */
  readonly blockId: BlockId
  readonly timeNs: bigint
}

/** The signed bytes of a vote: the length-prefixed CanonicalVote record. */
export function voteSignBytes(chainId: string, vote: Vote): Uint8Array {
  return lengthDelimited(
    concatBytes(
      varintField(1, vote.type),
      sfixed64Field(2, BigInt(vote.height)),
      sfixed64Field(3, BigInt(vote.round)),
      ...(isNilBlockId(vote.blockId) ? [] : [messageField(4, encodeBlockId(vote.blockId))]),
      messageField(5, encodeTimestamp(vote.timeNs)),
      stringField(6, chainId),
    ),
  )
}
