/** The consensus header: its record and its hash, which is the block's hash everywhere (D6). */
import { concatBytes } from '../../base/bytes.ts'
import { decodeBlockId, encodeBlockId } from './blockId.ts'
import type { Sha256 } from './crypto.ts'
import { merkleRoot } from './merkle.ts'
import { bytesField, messageField, stringField, varintField, type Message } from './protobuf.ts'
import { decodeTimestamp, encodeTimestamp } from './time.ts'
import type { Header } from './types.ts'

const encodeVersion = ({ version }: Header) =>
  concatBytes(varintField(1, version.block), varintField(2, version.app))

/** Header proto, fields 1 to 14. */
export function encodeHeader(header: Header): Uint8Array {
  return concatBytes(
    messageField(1, encodeVersion(header)),
    stringField(2, header.chainId),
    varintField(3, header.height),
    messageField(4, encodeTimestamp(header.timeNs)),
    messageField(5, encodeBlockId(header.lastBlockId)),
    bytesField(6, header.lastCommitHash),
    bytesField(7, header.dataHash),
    bytesField(8, header.validatorsHash),
    bytesField(9, header.nextValidatorsHash),
    bytesField(10, header.consensusHash),
    bytesField(11, header.appHash),
    bytesField(12, header.lastResultsHash),
    bytesField(13, header.evidenceHash),
    bytesField(14, header.proposerAddress),
  )
}

/** The header in a parsed record. Throws ProtobufError. */
export function decodeHeader(message: Message): Header {
  const version = message.message(1)
  return {
    version: { block: version.uint(1), app: version.uint(2) },
    chainId: message.text(2),
    height: message.number(3),
    timeNs: decodeTimestamp(message.message(4)),
    lastBlockId: decodeBlockId(message.message(5)),
    lastCommitHash: message.bytes(6),
    dataHash: message.bytes(7),
    validatorsHash: message.bytes(8),
    nextValidatorsHash: message.bytes(9),
    consensusHash: message.bytes(10),
    appHash: message.bytes(11),
    lastResultsHash: message.bytes(12),
    evidenceHash: message.bytes(13),
    proposerAddress: message.bytes(14),
  }
}

/**
 * The 14 leaves of the header's Merkle tree. Scalars are wrapped as one-field messages (google.protobuf.Int64Value and so
 * on), so that a proof of one field includes its type.
 */
export function headerLeaves(header: Header): readonly Uint8Array[] {
  return [
    encodeVersion(header),
    stringField(1, header.chainId),
    varintField(1, header.height),
    encodeTimestamp(header.timeNs),
    encodeBlockId(header.lastBlockId),
    bytesField(1, header.lastCommitHash),
    bytesField(1, header.dataHash),
    bytesField(1, header.validatorsHash),
    bytesField(1, header.nextValidatorsHash),
    bytesField(1, header.consensusHash),
    bytesField(1, header.appHash),
    bytesField(1, header.lastResultsHash),
    bytesField(1, header.evidenceHash),
    bytesField(1, header.proposerAddress),
  ]
}

/** The 32-byte header hash. */
export function headerHash(sha256: Sha256, header: Header): Uint8Array {
  return merkleRoot(sha256, headerLeaves(header))
}
