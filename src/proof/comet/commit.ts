/** Commits: the signatures that decided a block (CometBFT types.proto Commit, CommitSig). */
import { concatBytes } from '../../base/bytes.ts'
import { decodeBlockId, encodeBlockId, NIL_BLOCK_ID } from './blockId.ts'
import type { Sha256 } from './crypto.ts'
import { merkleRoot } from './merkle.ts'
import {
  bytesField,
  messageField,
  parseMessage,
  ProtobufError,
  varintField,
  type Message,
} from './protobuf.ts'
import { decodeTimestamp, encodeTimestamp } from './time.ts'
import type { Commit, CommitSignature } from './types.ts'

/** Takes the place of a commit in the first block. */
export const EMPTY_COMMIT: Commit = { height: 0, round: 0, blockId: NIL_BLOCK_ID, signatures: [] }

function encodeCommitSignature(signature: CommitSignature): Uint8Array {
  return concatBytes(
    varintField(1, signature.blockIdFlag),
    bytesField(2, signature.validatorAddress),
    messageField(3, encodeTimestamp(signature.timeNs)),
    bytesField(4, signature.signature),
  )
}

function decodeCommitSignature(message: Message): CommitSignature {
  const blockIdFlag = message.number(1)
  if (blockIdFlag !== 1 && blockIdFlag !== 2 && blockIdFlag !== 3)
    throw new ProtobufError(`block id flag ${blockIdFlag} is unknown`)
  return {
    blockIdFlag,
    validatorAddress: message.bytes(2),
    timeNs: decodeTimestamp(message.message(3)),
    signature: message.bytes(4),
  }
}

/** Commit proto {height = 1, round = 2, block_id = 3, signatures = 4}. */
export function encodeCommit(commit: Commit): Uint8Array {
  return concatBytes(
    varintField(1, commit.height),
    varintField(2, commit.round),
    messageField(3, encodeBlockId(commit.blockId)),
    ...commit.signatures.map((signature) => messageField(4, encodeCommitSignature(signature))),
  )
}

/** The commit in a parsed record. Throws ProtobufError. */
export function decodeCommit(message: Message): Commit {
  return {
    height: message.number(1),
    round: message.number(2),
    blockId: decodeBlockId(message.message(3)),
    signatures: message.all(4).map((bytes) => decodeCommitSignature(parseMessage(bytes))),
  }
}

/** `last_commit_hash`: Merkle root over the signatures alone. */
export function commitHash(sha256: Sha256, commit: Commit): Uint8Array {
  return merkleRoot(sha256, commit.signatures.map(encodeCommitSignature))
}
