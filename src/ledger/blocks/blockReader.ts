/** Reads blocks from the tables. Records of recent requests are cached, and read in place. */
import { EMPTY_BYTES, equalBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Log } from '../../evm/types.ts'
import type { KvTable } from '../../store/kvTable.ts'
import type { Sha256 } from '../../proof/comet/crypto.ts'
import type { BlockHeader } from '../../chain/block.ts'
import type { DecidedTransaction, StoredReceipt, TransactionPlace } from '../../chain/reader.ts'
import type { Receipt } from '../../chain/receipt.ts'
import { createRecentCache } from '../records/recentCache.ts'
import { createRecentRecords, type RecentRecords } from '../records/recentRecords.ts'
import type { ValidatorPower } from '../../chain/staking/validatorSet.ts'
import type { ChainTables } from '../tables.ts'
import type { Transaction } from '../../chain/transaction.ts'
import { findHashEntries } from './hashIndex.ts'
import { decodeHeaderRecord } from './headerRecord.ts'
import { heightKey, readHeight } from './heightKey.ts'
import { HAS, requirePruned } from './presence.ts'
import { decodeReceipts, receiptAt } from './receiptsRecord.ts'
import {
  countTransactions,
  decidedAt,
  decodeDecided,
  decodeTransactionHashes,
  decodeTransactions,
  transactionAt,
} from './transactionsRecord.ts'
import { decodeSystemLogs } from './systemLogs.ts'
import { decodeValidatorUpdates } from './validatorUpdates.ts'

/** Reads of heights that are known to be committed. */
export type BlockReader = {
  header(height: number): BlockHeader | undefined
  heightOfHash(blockHash: Uint8Array): number | undefined
  transactions(height: number): readonly Transaction[]
  receipts(height: number): readonly Receipt[]
  transactionHashes(height: number): readonly Uint8Array[]
  transactionCount(height: number): number
  transaction(height: number, index: number): Transaction | undefined
  receipt(height: number, index: number): StoredReceipt | undefined
  /** The record of the block's logs, empty if it has none. */
  logsRecord(height: number): Uint8Array
  decided(height: number): readonly DecidedTransaction[]
  validatorUpdates(height: number): readonly ValidatorPower[]
  systemLogs(height: number): readonly Log[]
  findTransaction(hash: Uint8Array): TransactionPlace | undefined
  findDecided(consensusHash: Uint8Array): TransactionPlace | undefined
  /** Drops its caches: blocks were rolled back. */
  forget(): void
}

const RECENT_HEADERS = 64
/** Number of blocks whose transaction hashes are cached: those that clients poll for. */
const RECENT_HASHES = 4

/** Maximum number of bytes of cached records, per table. */
const RECENT_BYTES = 4 << 20

/** A reader over the tables. Its reads throw CorruptRecordError if a record is damaged. */
export function createBlockReader(tables: ChainTables, sha256: Sha256): BlockReader {
  const headers = createRecentCache<BlockHeader>(RECENT_HEADERS)
  const hashes = createRecentCache<readonly Uint8Array[]>(RECENT_HASHES)
  const recordsOf = (table: KvTable): RecentRecords =>
    createRecentRecords(RECENT_BYTES, (height) => table.get(heightKey(height)))
  const records = {
    transactions: recordsOf(tables.transactions),
    receipts: recordsOf(tables.receipts),
    logs: recordsOf(tables.logs),
  }

  const header = (height: number): BlockHeader | undefined =>
    headers.get(height, () => {
      const record = tables.headers.get(heightKey(height))
      if (record === undefined) requirePruned(tables, tables.headers, height)
      return record && decodeHeaderRecord(record, height)
    })

  /** A block's record; undefined if it has none (D92). */
  function recordOf(kind: keyof typeof HAS, height: number): Uint8Array | undefined {
    const record = records[kind].get(height)
    if (record !== undefined) return record
    const known = header(height)
    if (known !== undefined && HAS[kind](known)) requirePruned(tables, tables[kind], height)
    return undefined
  }

  const logsRecord = (height: number): Uint8Array => recordOf('logs', height) ?? EMPTY_BYTES

  /** Reads a block's record, or returns `none` if the block has no record: it decided nothing. */
  function read<T>(
    kind: 'transactions' | 'receipts',
    height: number,
    decode: (record: Uint8Array) => T,
    none: T,
  ): T {
    const record = recordOf(kind, height)
    return record === undefined ? none : decode(record)
  }

  const hashesOf = (height: number): readonly Uint8Array[] =>
    read('transactions', height, decodeTransactionHashes, [])

  return {
    forget() {
      for (const cache of [headers, hashes, ...Object.values(records)]) cache.forget()
    },
    header,
    heightOfHash(blockHash) {
      const height = tables.blockHashes.get(blockHash)
      return height && readHeight(height)
    },
    transactions: (height) => read('transactions', height, decodeTransactions, []),
    receipts: (height) =>
      read('receipts', height, (record) => decodeReceipts(record, logsRecord(height)), []),
    transactionHashes: (height) => hashes.get(height, () => hashesOf(height)) ?? [],
    transactionCount: (height) => read('transactions', height, countTransactions, 0),
    transaction: (height, index) =>
      read('transactions', height, (record) => transactionAt(record, index), undefined),
    receipt: (height, index) =>
      read('receipts', height, (record) => receiptAt(record, index, logsRecord(height)), undefined),
    logsRecord,
    decided: (height) => read('transactions', height, decodeDecided, []),
    validatorUpdates(height) {
      const record = tables.validatorUpdates.get(heightKey(height))
      return record === undefined ? [] : decodeValidatorUpdates(record)
    },
    systemLogs(height) {
      const record = tables.systemLogs.get(heightKey(height))
      return record === undefined ? [] : decodeSystemLogs(record)
    },
    findTransaction(hash) {
      for (const { height, index } of findHashEntries(tables.transactionHashes, hash)) {
        const found = read('transactions', height, (record) => decidedAt(record, index), undefined)
        if (found?.transactionIndex !== undefined && equalBytes(keccak256(found.raw), hash))
          return { height, index: found.transactionIndex }
      }
      return undefined
    },
    findDecided(consensusHash) {
      for (const place of findHashEntries(tables.transactionHashes, consensusHash)) {
        const { height, index } = place
        const found = read('transactions', height, (record) => decidedAt(record, index), undefined)
        if (found !== undefined && equalBytes(sha256(found.raw), consensusHash)) return place
      }
      return undefined
    },
  }
}
