/** A whole block: its record, its parts and its id. Blocks here contain no evidence: there is one validator (D20). */
import { concatBytes, EMPTY_BYTES } from '../../base/bytes.ts'
import { decodeCommit, encodeCommit } from './commit.ts'
import type { Sha256 } from './crypto.ts'
import { decodeHeader, encodeHeader, headerHash } from './header.ts'
import { merkleRoot } from './merkle.ts'
import {
  MAX_FIELD_HEADER,
  messageField,
  parseMessage,
  ProtobufError,
  writeMessageField,
} from './protobuf.ts'
import type { Block, BlockId, PartSetHeader } from './types.ts'

/** Size of a part in bytes; only the last one is shorter. */
export const PART_SIZE = 65_536

/** Data {txs = 1}. Written into one array: a block has many. */
function encodeTransactions(txs: readonly Uint8Array[]): Uint8Array {
  let most = 0
  for (const { length } of txs) most += MAX_FIELD_HEADER + length
  const data = new Uint8Array(most)
  let end = 0
  for (const tx of txs) end = writeMessageField(data, end, 1, tx)
  return data.subarray(0, end)
}

/** Block proto {header = 1, data = 2 {txs = 1}, evidence = 3, last_commit = 4}. */
export function encodeBlock(block: Block): Uint8Array {
  return concatBytes(
    messageField(1, encodeHeader(block.header)),
    messageField(2, encodeTransactions(block.txs)),
    messageField(3, EMPTY_BYTES),
    messageField(4, encodeCommit(block.lastCommit)),
  )
}

/** Throws ProtobufError, also for a block with evidence. */
export function decodeBlock(bytes: Uint8Array): Block {
  const message = parseMessage(bytes)
  if (message.bytes(3).length > 0) throw new ProtobufError('the block carries evidence')
  return {
    header: decodeHeader(message.message(1)),
    txs: message.message(2).all(1),
    lastCommit: decodeCommit(message.message(4)),
  }
}

/** Splits an encoded block into parts and commits to them. */
export function partSetHeader(sha256: Sha256, encodedBlock: Uint8Array): PartSetHeader {
  const parts: Uint8Array[] = []
  for (let start = 0; start < encodedBlock.length; start += PART_SIZE)
    parts.push(encodedBlock.subarray(start, start + PART_SIZE))
  return { total: parts.length, hash: merkleRoot(sha256, parts) }
}

/** A block's id, and the size of its record in bytes. */
export function identifyBlock(
  sha256: Sha256,
  block: Block,
): { readonly blockId: BlockId; readonly size: number } {
  const encoded = encodeBlock(block)
  const hash = headerHash(sha256, block.header)
  return { blockId: { hash, parts: partSetHeader(sha256, encoded) }, size: encoded.length }
}
