/** The stored form of a block's logs, by transaction. They carry the transaction's hash, so a search reads nothing else. */
import type { Log } from '../../evm/types.ts'
import type { ExecutedBlock } from '../executed.ts'
import { createRecordReader, type RecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

/** The logs of one transaction, which are never none. */
export type TransactionLogs = {
  readonly transactionIndex: number
  readonly transactionHash: Uint8Array
  readonly logs: readonly Log[]
}

/** The record, or undefined for a block without logs. */
export function encodeLogsRecord({
  transactions,
  receipts,
}: ExecutedBlock): Uint8Array | undefined {
  const record = writeRecord((writer) => {
    for (const [index, { logs }] of receipts.entries()) {
      const hash = transactions[index]?.hash
      if (logs.length === 0 || hash === undefined) continue
      writer.varint(index)
      writer.fixed(hash)
      writer.varint(logs.length)
      for (const { address, topics, data } of logs) {
        writer.fixed(address)
        writer.byte(topics.length)
        for (const topic of topics) writer.fixed(topic)
        writer.bytes(data)
      }
    }
  })
  return record.length === 0 ? undefined : record
}

function readLog(reader: RecordReader): Log {
  const address = reader.fixed(20)
  const topics = Array.from({ length: reader.byte() }, () => reader.fixed(32))
  return { address, topics, data: reader.bytes() }
}

/** In order of transactions. Throws CorruptRecordError. */
export function decodeLogsRecord(record: Uint8Array): readonly TransactionLogs[] {
  const reader = createRecordReader(record)
  const groups: TransactionLogs[] = []
  while (!reader.isAtEnd())
    groups.push({
      transactionIndex: reader.varint(),
      transactionHash: reader.fixed(32),
      logs: Array.from({ length: reader.varint() }, () => readLog(reader)),
    })
  return groups
}
