/** The stored form of the logs of the end-of-block system call, which no transaction made. */
import type { Log } from '../../evm/types.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

const ADDRESS_SIZE = 20
const TOPIC_SIZE = 32

/** The record of logs. */
export function encodeSystemLogs(logs: readonly Log[]): Uint8Array {
  return writeRecord((writer) => {
    for (const { address, topics, data } of logs) {
      writer.fixed(address)
      writer.byte(topics.length)
      for (const topic of topics) writer.fixed(topic)
      writer.bytes(data)
    }
  })
}

/** The logs of a record. Throws CorruptRecordError. */
export function decodeSystemLogs(record: Uint8Array): readonly Log[] {
  const reader = createRecordReader(record)
  const logs: Log[] = []
  while (!reader.isAtEnd()) {
    const address = reader.fixed(ADDRESS_SIZE)
    const topics = Array.from({ length: reader.byte() }, () => reader.fixed(TOPIC_SIZE))
    logs.push({ address, topics, data: reader.bytes() })
  }
  return logs
}
