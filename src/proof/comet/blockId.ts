/** Block ids: the header's hash and the Merkle root over the block's parts (CometBFT types.proto BlockID). */
import { concatBytes, EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { bytesField, messageField, varintField, type Message } from './protobuf.ts'
import type { BlockId } from './types.ts'

/** The id of no block, as in the first header and in a nil vote. */
export const NIL_BLOCK_ID: BlockId = {
  hash: EMPTY_BYTES,
  parts: { total: 0, hash: EMPTY_BYTES },
}

/** BlockID {hash = 1, part_set_header = 2 {total = 1, hash = 2}}. CanonicalBlockID has the same bytes. */
export function encodeBlockId({ hash, parts }: BlockId): Uint8Array {
  const header = concatBytes(varintField(1, parts.total), bytesField(2, parts.hash))
  return concatBytes(bytesField(1, hash), messageField(2, header))
}

/** The id in a parsed record. Throws ProtobufError. */
export function decodeBlockId(message: Message): BlockId {
  const parts = message.message(2)
  return { hash: message.bytes(1), parts: { total: parts.number(1), hash: parts.bytes(2) } }
}

/** Whether both ids name the same block in the same parts. */
export function equalBlockIds(a: BlockId, b: BlockId): boolean {
  return (
    equalBytes(a.hash, b.hash) &&
    a.parts.total === b.parts.total &&
    equalBytes(a.parts.hash, b.parts.hash)
  )
}

/** Whether the id is that of no block. */
export function isNilBlockId(id: BlockId): boolean {
  return equalBlockIds(id, NIL_BLOCK_ID)
}
