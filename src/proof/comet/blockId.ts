/** Block ids: the header's hash and the Merkle root over the block's parts (CometBFT types.proto BlockID). */
import { concatBytes, equalBytes } from '../../base/bytes.ts'
import { bytesField, messageField, varintField, type Message } from './protobuf.ts'
import type { BlockId } from './types.ts'

/** BlockID {hash = 1, part_set_header = 2 {total = 1, hash = 2}}. CanonicalBlockID has the same bytes. */
export function encodeBlockId({ hash, parts }: BlockId): Uint8Array {
  const header = concatBytes(varintField(1, parts.total), bytesField(2, parts.hash))
  return concatBytes(bytesField(1, hash), messageField(2, header))
}

export function decodeBlockId(message: Message): BlockId {
  const parts = message.message(2)
  return { hash: message.bytes(1), parts: { total: parts.number(1), hash: parts.bytes(2) } }
}

export function equalBlockIds(a: BlockId, b: BlockId): boolean {
  return (
    equalBytes(a.hash, b.hash) &&
    a.parts.total === b.parts.total &&
    equalBytes(a.parts.hash, b.parts.hash)
  )
}

/** Whether the id stands for no block, as in the first header and in a nil vote. */
export function isNilBlockId(id: BlockId): boolean {
  return id.hash.length === 0 && id.parts.total === 0 && id.parts.hash.length === 0
}
