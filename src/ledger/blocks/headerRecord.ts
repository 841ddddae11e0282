/** The stored form of a block header. The height is the key. */
import type { BlockHeader } from '../../chain/block.ts'
import { BLOOM_SIZE } from '../../chain/bloom.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

const HASH_SIZE = 32

/** The record of a header. */
export function encodeHeaderRecord(header: BlockHeader): Uint8Array {
  return writeRecord((writer) => {
    writer.fixed(header.hash)
    writer.fixed(header.parentHash)
    writer.fixed(header.stateRoot)
    writer.fixed(header.transactionsRoot)
    writer.fixed(header.receiptsRoot)
    writer.fixed(header.prevRandao)
    writer.bigint(header.timeNs)
    writer.bytes(header.proposer)
    writer.bytes(header.coinbase)
    writer.bigint(header.gasLimit)
    writer.bigint(header.gasUsed)
    writer.bigint(header.baseFeePerGas)
    writer.varint(header.size)
    // Most blocks of a quiet chain have no logs: an empty bloom is omitted.
    if (header.logsBloom.some((byte) => byte !== 0)) writer.fixed(header.logsBloom)
  })
}

/** The header of a height. Throws CorruptRecordError. */
export function decodeHeaderRecord(record: Uint8Array, height: number): BlockHeader {
  const reader = createRecordReader(record)
  return {
    height,
    hash: reader.fixed(HASH_SIZE),
    parentHash: reader.fixed(HASH_SIZE),
    stateRoot: reader.fixed(HASH_SIZE),
    transactionsRoot: reader.fixed(HASH_SIZE),
    receiptsRoot: reader.fixed(HASH_SIZE),
    prevRandao: reader.fixed(HASH_SIZE),
    timeNs: reader.bigint(),
    proposer: reader.bytes(),
    coinbase: reader.bytes(),
    gasLimit: reader.bigint(),
    gasUsed: reader.bigint(),
    baseFeePerGas: reader.bigint(),
    size: reader.varint(),
    logsBloom: reader.isAtEnd() ? new Uint8Array(BLOOM_SIZE) : reader.fixed(BLOOM_SIZE),
  }
}
