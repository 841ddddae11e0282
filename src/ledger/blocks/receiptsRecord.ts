/** The stored form of a block's receipts. Logs have a record of their own, and blooms follow from them. */
import { EMPTY_BYTES } from '../../base/bytes.ts'
import { logsBloom } from '../../chain/bloom.ts'
import type { StoredReceipt } from '../../chain/reader.ts'
import type { Receipt } from '../../chain/receipt.ts'
import { countEntries, encodeEntries, readEntry } from '../records/entries.ts'
import { logAt, placesOfGroup } from './logsRecord.ts'

/**
 * The record of a block's receipts, in order. `groups` maps a transaction to the offset of its logs in the record of
 * logs.
 */
export function encodeReceiptsRecord(
  receipts: readonly Receipt[],
  groups: ReadonlyMap<number, number>,
): Uint8Array {
  return encodeEntries(receipts.length, (writer, index) => {
    const receipt = receipts[index] as Receipt
    writer.byte(receipt.type)
    writer.byte(receipt.status)
    writer.bigint(receipt.gasUsed)
    writer.bigint(receipt.cumulativeGasUsed)
    writer.bigint(receipt.effectiveGasPrice)
    writer.bytes(receipt.contractAddress ?? EMPTY_BYTES)
    writer.varint(receipt.firstLogIndex)
    // Zero means: no logs.
    writer.varint((groups.get(index) ?? -1) + 1)
  })
}

/** The receipt with an index, or undefined. `logs` is the record of the block's logs. Throws CorruptRecordError. */
export function receiptAt(
  record: Uint8Array,
  index: number,
  logs: Uint8Array,
): StoredReceipt | undefined {
  const entry = readEntry(record, index)
  if (entry === undefined) return undefined
  const type = entry.byte()
  const status = entry.byte() === 1 ? 1 : 0
  const gasUsed = entry.bigint()
  const cumulativeGasUsed = entry.bigint()
  const effectiveGasPrice = entry.bigint()
  const contract = entry.bytes()
  const firstLogIndex = entry.varint()
  const group = entry.varint()
  return {
    type,
    status,
    gasUsed,
    cumulativeGasUsed,
    effectiveGasPrice,
    contractAddress: contract.length === 0 ? undefined : contract,
    firstLogIndex,
    logs: {
      record: logs,
      places: group === 0 ? [] : placesOfGroup(logs, group - 1, firstLogIndex),
    },
  }
}

/** All receipts with their logs and blooms. Throws CorruptRecordError. */
export function decodeReceipts(record: Uint8Array, logsRecord: Uint8Array): readonly Receipt[] {
  return Array.from({ length: countEntries(record) }, (_, index) => {
    const receipt = receiptAt(record, index, logsRecord) as StoredReceipt
    const logs = receipt.logs.places.map((place) => logAt(logsRecord, place))
    return { ...receipt, logs, logsBloom: logsBloom(logs) }
  })
}
