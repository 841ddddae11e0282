/** The stored form of a block's receipts. Logs have a record of their own, and blooms follow from them. */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import type { Log } from '../../evm/types.ts'
import { logsBloom } from '../bloom.ts'
import type { Receipt } from '../receipt.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'
import type { TransactionLogs } from './logsRecord.ts'

/** The record of a block's receipts, in order. */
export function encodeReceiptsRecord(receipts: readonly Receipt[]): Uint8Array {
  return writeRecord((writer) => {
    writer.varint(receipts.length)
    for (const receipt of receipts) {
      writer.byte(receipt.type)
      writer.byte(receipt.status)
      writer.bigint(receipt.gasUsed)
      writer.bigint(receipt.cumulativeGasUsed)
      writer.bigint(receipt.effectiveGasPrice)
      writer.bytes(receipt.contractAddress ?? EMPTY_BYTES)
    }
  })
}

const NO_LOGS: readonly Log[] = []

/** The receipts, with the block's logs put back into them. Throws CorruptRecordError. */
export function decodeReceiptsRecord(
  record: Uint8Array,
  blockLogs: readonly TransactionLogs[],
): readonly Receipt[] {
  const reader = createRecordReader(record)
  const logsOf = new Map(blockLogs.map(({ transactionIndex, logs }) => [transactionIndex, logs]))
  let firstLogIndex = 0
  return Array.from({ length: reader.varint() }, (_, index): Receipt => {
    const logs = logsOf.get(index) ?? NO_LOGS
    const type = reader.byte()
    const status = reader.byte() === 1 ? 1 : 0
    const gasUsed = reader.bigint()
    const cumulativeGasUsed = reader.bigint()
    const effectiveGasPrice = reader.bigint()
    const contract = reader.bytes()
    firstLogIndex += logs.length
    return {
      type,
      status,
      gasUsed,
      cumulativeGasUsed,
      effectiveGasPrice,
      contractAddress: contract.length === 0 ? undefined : contract,
      logs,
      logsBloom: logsBloom(logs),
      firstLogIndex: firstLogIndex - logs.length,
    }
  })
}
