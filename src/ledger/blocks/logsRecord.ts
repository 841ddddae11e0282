/**
 * The stored form of a block's logs, by transaction. They include the transaction's hash, so a search reads nothing
 * else; what is the same for the whole block is not repeated. Logs are read in place: see `LogPlace`.
 */
import type { Log } from '../../evm/types.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import type { LogPlace } from '../../chain/reader.ts'
import { CorruptRecordError } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'

const HASH_SIZE = 32
const ADDRESS_SIZE = 20

/** The record of a block's logs, and the offset in it of the group of each transaction with logs. */
export type EncodedLogs = {
  readonly record: Uint8Array
  readonly groups: ReadonlyMap<number, number>
}

/** The record is empty for a block without logs. */
export function encodeLogsRecord({
  transactions,
  receipts,
}: Pick<ExecutedBlock, 'transactions' | 'receipts'>): EncodedLogs {
  const groups = new Map<number, number>()
  const record = writeRecord((writer) => {
    for (const [index, { logs }] of receipts.entries()) {
      const hash = transactions[index]?.hash
      if (logs.length === 0 || hash === undefined) continue
      groups.set(index, writer.size())
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
  return { record, groups }
}

/** Offset of a stored log's topics from its address: after the address and the number of topics. */
export const TOPICS_OFFSET = ADDRESS_SIZE + 1

/** Whether a log matches, given the offset of its address in a record; the rest of the log follows from there. */
export type LogTest = (record: DataView, addressAt: number, topicCount: number) => boolean

const acceptAll: LogTest = () => true

function varintAt(record: Uint8Array, start: number): number {
  let value = 0
  for (let at = start, scale = 1; ; at++, scale *= 0x80) {
    const byte = record[at]
    if (byte === undefined || scale > Number.MAX_SAFE_INTEGER) throw tooShort()
    value += (byte & 0x7f) * scale
    if (byte < 0x80) return value
  }
}

/** Encoded size of a number: seven bits per byte. */
function varintSize(value: number): number {
  let size = 1
  for (let rest = value; rest >= 0x80; rest /= 0x80) size++
  return size
}

/** Reads the groups from `start` on, all or one; the first log has the given index in the block. */
function readPlaces(
  record: Uint8Array,
  start: number,
  firstLogIndex: number,
  isOneGroup: boolean,
  accepts: LogTest,
): readonly LogPlace[] {
  const places: LogPlace[] = []
  const view = new DataView(record.buffer, record.byteOffset, record.length)
  let at = start
  let logIndex = firstLogIndex
  while (at < record.length) {
    const transactionIndex = varintAt(record, at)
    const transactionHashAt = at + varintSize(transactionIndex)
    at = transactionHashAt + HASH_SIZE
    const count = varintAt(record, at)
    at += varintSize(count)
    for (let left = count; left > 0; left--) {
      const addressAt = at
      const topicCount = record[at + ADDRESS_SIZE] ?? 0
      const topicsAt = at + TOPICS_OFFSET
      const lengthAt = topicsAt + topicCount * HASH_SIZE
      const dataLength = varintAt(record, lengthAt)
      const dataAt = lengthAt + varintSize(dataLength)
      at = dataAt + dataLength
      if (at > record.length) throw tooShort()
      // Allocates objects only for matches: a search often matches few of many.
      if (accepts(view, addressAt, topicCount))
        places.push({
          transactionIndex,
          transactionHashAt,
          logIndex,
          addressAt,
          topicCount,
          topicsAt,
          dataAt,
          dataLength,
        })
      logIndex++
    }
    if (isOneGroup) break
  }
  return places
}

function tooShort(): CorruptRecordError {
  return new CorruptRecordError('a stored record of logs ends too early')
}

/** Positions of the matching logs of a block, in order; all by default. Throws CorruptRecordError. */
export function placesOf(record: Uint8Array, accepts = acceptAll): readonly LogPlace[] {
  return readPlaces(record, 0, 0, false, accepts)
}

/** Positions of the logs of one transaction, from the start of its group. Throws CorruptRecordError. */
export function placesOfGroup(
  record: Uint8Array,
  start: number,
  firstLogIndex: number,
): readonly LogPlace[] {
  return readPlaces(record, start, firstLogIndex, true, acceptAll)
}

/** The log at a position: views of the record. */
export function logAt(record: Uint8Array, place: LogPlace): Log {
  const { addressAt, topicCount, topicsAt, dataAt, dataLength } = place
  return {
    address: record.subarray(addressAt, addressAt + ADDRESS_SIZE),
    topics: Array.from({ length: topicCount }, (_, index) =>
      record.subarray(topicsAt + index * HASH_SIZE, topicsAt + (index + 1) * HASH_SIZE),
    ),
    data: record.subarray(dataAt, dataAt + dataLength),
  }
}
