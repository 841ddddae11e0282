/** The stored form of a block's decided transactions: raw bytes, sender and result, so that reads need no recovery. */
import { keccak256 } from '../../base/keccak.ts'
import type { ConsensusResult } from '../../chain/consensusResult.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import type { DecidedTransaction } from '../../chain/reader.ts'
import { countEntries, encodeEntries, readEntry } from '../records/entries.ts'
import { CorruptRecordError, type RecordReader } from '../records/reader.ts'
import { ADDRESS_SIZE } from '../state/flatKey.ts'
import { decodeKnownTransaction, type Transaction } from '../../chain/transaction.ts'

/** The record of everything that a block decided, in order. */
export function encodeTransactionsRecord({ decided, transactions }: ExecutedBlock): Uint8Array {
  return encodeEntries(decided.length, (writer, index) => {
    const { raw, result, transactionIndex } = decided[index] as DecidedTransaction
    // Zero means: not among the block's Ethereum transactions.
    writer.varint(transactionIndex === undefined ? 0 : transactionIndex + 1)
    writer.bytes(raw)
    if (transactionIndex !== undefined)
      writer.fixed((transactions[transactionIndex] as Transaction).sender)
    writer.varint(result.code)
    writer.text(result.codespace)
    writer.text(result.log)
    writer.bytes(result.data)
    writer.bigint(result.gasWanted)
    writer.bigint(result.gasUsed)
  })
}

function readResult(reader: RecordReader): ConsensusResult {
  return {
    code: reader.varint(),
    codespace: reader.text(),
    log: reader.text(),
    data: reader.bytes(),
    gasWanted: reader.bigint(),
    gasUsed: reader.bigint(),
  }
}

function entryAt(record: Uint8Array, index: number): RecordReader {
  const entry = readEntry(record, index)
  if (entry === undefined) throw new CorruptRecordError('a decided transaction is missing')
  return entry
}

/** Everything that was decided, in order. Throws CorruptRecordError. */
export function decodeDecided(record: Uint8Array): readonly DecidedTransaction[] {
  return Array.from({ length: countEntries(record) }, (_, index) => {
    const entry = entryAt(record, index)
    const place = entry.varint()
    const raw = entry.bytes()
    if (place > 0) entry.fixed(ADDRESS_SIZE)
    return { raw, result: readResult(entry), transactionIndex: place > 0 ? place - 1 : undefined }
  })
}

/** Raw bytes and Ethereum index of one decided transaction, or undefined if there is none. */
export function decidedAt(
  record: Uint8Array,
  index: number,
): Pick<DecidedTransaction, 'raw' | 'transactionIndex'> | undefined {
  const entry = readEntry(record, index)
  if (entry === undefined) return undefined
  const place = entry.varint()
  return { raw: entry.bytes(), transactionIndex: place > 0 ? place - 1 : undefined }
}

/** Number of Ethereum transactions, derived from the last one's index. */
export function countTransactions(record: Uint8Array): number {
  for (let index = countEntries(record) - 1; index >= 0; index--) {
    const place = entryAt(record, index).varint()
    if (place > 0) return place
  }
  return 0
}

/** The Ethereum transaction with an index, or undefined. Throws CorruptRecordError. */
export function transactionAt(
  record: Uint8Array,
  transactionIndex: number,
): Transaction | undefined {
  // Refused transactions have no index, so a transaction is at its own index or, after refused ones, behind it.
  const count = countEntries(record)
  for (let index = transactionIndex; index < count; index++) {
    const entry = entryAt(record, index)
    if (entry.varint() !== transactionIndex + 1) continue
    const raw = entry.bytes()
    return decodeKnownTransaction(raw, entry.fixed(ADDRESS_SIZE))
  }
  return undefined
}

/** The hashes of all Ethereum transactions, in order. Throws CorruptRecordError. */
export function decodeTransactionHashes(record: Uint8Array): readonly Uint8Array[] {
  const hashes: Uint8Array[] = []
  for (let index = 0; index < countEntries(record); index++) {
    const entry = entryAt(record, index)
    if (entry.varint() > 0) hashes.push(keccak256(entry.bytes()))
  }
  return hashes
}

/** All Ethereum transactions, in order. Throws CorruptRecordError. */
export function decodeTransactions(record: Uint8Array): readonly Transaction[] {
  const transactions: Transaction[] = []
  for (let index = 0; index < countEntries(record); index++) {
    const entry = entryAt(record, index)
    const place = entry.varint()
    if (place === 0) continue
    if (place !== transactions.length + 1)
      throw new CorruptRecordError('the transactions of a block are out of order')
    const raw = entry.bytes()
    transactions.push(decodeKnownTransaction(raw, entry.fixed(ADDRESS_SIZE)))
  }
  return transactions
}
