/**
 * The index of logs: for each address, and each topic at its position, the blocks whose logs have it. One key per value
 * and block, written in the block's own transaction. Values are folded to six bytes: a collision costs reading a block,
 * but never a wrong answer, since the logs themselves decide.
 */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { HEIGHT_SIZE, heightKey, writeHeight } from '../blocks/heightKey.ts'
import { placesOf } from '../blocks/logsRecord.ts'
import { ADDRESS_SIZE } from '../state/flatKey.ts'

const TOPIC_SIZE = 32

const FOLD_SIZE = 6
const FOLDS = 2 ** 48
const CODE_SIZE = 1 + FOLD_SIZE

/** A value in the index: its kind (none, an address, the topic at a position) and its fold. */
export type LogCode = number

/** The code of the block itself: every block with logs has it. */
export const ANY_LOG: LogCode = 0

/** XOR of the value's groups of six bytes, from its end, where padded addresses and numbers differ. */
function fold(bytes: Uint8Array, start: number, end: number): number {
  let high = 0
  let low = 0
  let shift = 0
  for (let i = end - 1; i >= start; i--) {
    const byte = bytes[i] as number
    if (shift < 32) low ^= byte << shift
    else high ^= byte << (shift - 32)
    shift = shift === 40 ? 0 : shift + 8
  }
  return high * 2 ** 32 + (low >>> 0)
}

/** The code of an address. */
export function addressCode(address: Uint8Array): LogCode {
  return FOLDS + fold(address, 0, address.length)
}

/** The code of a topic at a position. */
export function topicCode(topic: Uint8Array, position: number): LogCode {
  return (2 + position) * FOLDS + fold(topic, 0, topic.length)
}

/** The codes of a block, ascending like their keys: neighbours share pages of the table while it is small. */
function codesOf(record: Uint8Array): Float64Array {
  const codes = new Set<LogCode>([ANY_LOG])
  for (const { addressAt, topicCount, topicsAt } of placesOf(record)) {
    codes.add(FOLDS + fold(record, addressAt, addressAt + ADDRESS_SIZE))
    for (let position = 0; position < topicCount; position++) {
      const at = topicsAt + position * TOPIC_SIZE
      codes.add((2 + position) * FOLDS + fold(record, at, at + TOPIC_SIZE))
    }
  }
  return Float64Array.from(codes).sort()
}

/** The key of a code at a height: key order is the order of codes, then of heights. */
export function logKey(code: LogCode, height: number): Uint8Array {
  const key = new Uint8Array(CODE_SIZE + HEIGHT_SIZE)
  let rest = code
  for (let i = CODE_SIZE - 1; i >= 0; i--) {
    key[i] = rest % 256
    rest = Math.floor(rest / 256)
  }
  writeHeight(key, CODE_SIZE, height)
  return key
}

/** Offset of the height in a key. */
export const LOG_HEIGHT_AT = CODE_SIZE

/** The tables that the index is built from and written to. */
export type LogTables = { readonly logs: KvTable; readonly logIndex: KvTable }

/** Adds a block by the record of its logs, inside a write transaction. */
export function putLogEntries(index: KvTable, height: number, record: Uint8Array): void {
  for (const code of codesOf(record)) index.put(logKey(code, height), EMPTY_BYTES)
}

/** Removes a block that is still in the table of logs, inside a write transaction. */
export function removeLogEntries({ logs, logIndex }: LogTables, height: number): void {
  const record = logs.get(heightKey(height))
  if (record === undefined) return
  for (const code of codesOf(record)) logIndex.remove(logKey(code, height))
}

/** Whether the index leads to all logs of a block. Throws CorruptRecordError. */
export function holdsLogEntries({ logs, logIndex }: LogTables, height: number): boolean {
  const record = logs.get(heightKey(height))
  return (
    record === undefined ||
    codesOf(record).every((code) => logIndex.get(logKey(code, height)) !== undefined)
  )
}
