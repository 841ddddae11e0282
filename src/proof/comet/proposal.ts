/** What a proposer signs, and the extension of a vote (CometBFT canonical.proto). */
import { concatBytes } from '../../base/bytes.ts'
import { encodeBlockId, isNilBlockId } from './blockId.ts'
import {
  bytesField,
  lengthDelimited,
  messageField,
  sfixed64Field,
  stringField,
  varintField,
} from './protobuf.ts'
import { encodeTimestamp } from './time.ts'
import type { BlockId } from './types.ts'

/** Type of a proposal, as it is signed. */
export const PROPOSAL = 32

export type ConsensusProposal = {
  readonly height: number
  readonly round: number
  /** Round in which the block had a polka before; -1 for none. */
  readonly polRound: number
  readonly blockId: BlockId
  readonly timeNs: bigint
}

/** The signed bytes of a proposal: the length-prefixed CanonicalProposal record. */
export function proposalSignBytes(chainId: string, proposal: ConsensusProposal): Uint8Array {
  return lengthDelimited(
    concatBytes(
      varintField(1, PROPOSAL),
      sfixed64Field(2, BigInt(proposal.height)),
      sfixed64Field(3, BigInt(proposal.round)),
      varintField(4, proposal.polRound),
      ...(isNilBlockId(proposal.blockId) ? [] : [messageField(5, encodeBlockId(proposal.blockId))]),
      messageField(6, encodeTimestamp(proposal.timeNs)),
      stringField(7, chainId),
    ),
  )
}

/** The signed bytes of a vote's extension: the length-prefixed CanonicalVoteExtension record. */
export function extensionSignBytes(
  chainId: string,
  { extension, height, round }: { extension: Uint8Array; height: number; round: number },
): Uint8Array {
  return lengthDelimited(
    concatBytes(
      bytesField(1, extension),
      sfixed64Field(2, BigInt(height)),
      sfixed64Field(3, BigInt(round)),
      stringField(4, chainId),
    ),
  )
}
