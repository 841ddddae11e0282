/** The stored form of a block's decided transactions: raw bytes, sender and result, so that reads need no recovery. */
import type { ConsensusResult } from '../consensusResult.ts'
import type { ExecutedBlock } from '../executed.ts'
import type { DecidedTransaction } from '../reader.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'
import { ADDRESS_SIZE } from '../state/flatKey.ts'

/** A decided transaction with its sender, which is undefined where the transaction has no Ethereum index. */
export type StoredTransaction = DecidedTransaction & { readonly sender: Uint8Array | undefined }

/** The record of everything that a block decided, in order. */
export function encodeTransactionsRecord({ decided, transactions }: ExecutedBlock): Uint8Array {
  return writeRecord((writer) => {
    writer.varint(decided.length)
    for (const { raw, result, transactionIndex } of decided) {
      writer.bytes(raw)
      writer.varint(result.code)
      writer.text(result.codespace)
      writer.text(result.log)
      writer.bytes(result.data)
      writer.bigint(result.gasWanted)
      writer.bigint(result.gasUsed)
      const transaction =
        transactionIndex === undefined ? undefined : transactions[transactionIndex]
      // Zero means: no place among the block's Ethereum transactions.
      writer.varint(transactionIndex === undefined ? 0 : transactionIndex + 1)
      if (transaction !== undefined) writer.fixed(transaction.sender)
    }
  })
}

/** Throws CorruptRecordError. */
export function decodeTransactionsRecord(record: Uint8Array): readonly StoredTransaction[] {
  const reader = createRecordReader(record)
  return Array.from({ length: reader.varint() }, () => {
    const raw = reader.bytes()
    const result: ConsensusResult = {
      code: reader.varint(),
      codespace: reader.text(),
      log: reader.text(),
      data: reader.bytes(),
      gasWanted: reader.bigint(),
      gasUsed: reader.bigint(),
    }
    const place = reader.varint()
    return place === 0
      ? { raw, result, transactionIndex: undefined, sender: undefined }
      : { raw, result, transactionIndex: place - 1, sender: reader.fixed(ADDRESS_SIZE) }
  })
}
