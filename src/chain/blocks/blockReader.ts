/** Reads blocks out of the tables. Decoded blocks of recent requests are kept: they never change. */
import { equalBytes } from '../../base/bytes.ts'
import { keccak256 } from '../../base/keccak.ts'
import type { Sha256 } from '../../proof/comet/crypto.ts'
import type { BlockHeader } from '../block.ts'
import type { DecidedTransaction, TransactionPlace } from '../reader.ts'
import type { Receipt } from '../receipt.ts'
import { CorruptRecordError } from '../records/reader.ts'
import { createRecentCache } from '../records/recentCache.ts'
import type { ChainTables } from '../tables.ts'
import { decodeKnownTransaction, type Transaction } from '../transaction.ts'
import { findHashEntries } from './hashIndex.ts'
import { decodeHeaderRecord } from './headerRecord.ts'
import { heightKey, readHeight } from './heightKey.ts'
import { decodeLogsRecord, type TransactionLogs } from './logsRecord.ts'
import { decodeReceiptsRecord } from './receiptsRecord.ts'
import { decodeTransactionsRecord, type StoredTransaction } from './transactionsRecord.ts'

/** Reads of heights that are known to be committed. */
export type BlockReader = {
  header(height: number): BlockHeader | undefined
  heightOfHash(blockHash: Uint8Array): number | undefined
  transactions(height: number): readonly Transaction[]
  receipts(height: number): readonly Receipt[]
  blockLogs(height: number): readonly TransactionLogs[]
  decided(height: number): readonly DecidedTransaction[]
  findTransaction(hash: Uint8Array): TransactionPlace | undefined
  findDecided(consensusHash: Uint8Array): TransactionPlace | undefined
}

const RECENT_BLOCKS = 16
const RECENT_HEADERS = 64

/** A reader over the tables. Its reads throw CorruptRecordError where a record is damaged. */
export function createBlockReader(tables: ChainTables, sha256: Sha256): BlockReader {
  const headers = createRecentCache<BlockHeader>(RECENT_HEADERS)
  const stored = createRecentCache<readonly StoredTransaction[]>(RECENT_BLOCKS)
  const transactions = createRecentCache<readonly Transaction[]>(RECENT_BLOCKS)
  const receipts = createRecentCache<readonly Receipt[]>(RECENT_BLOCKS)

  function storedAt(height: number): readonly StoredTransaction[] {
    const record = () => tables.transactions.get(heightKey(height))
    const make = () => {
      const found = record()
      return found && decodeTransactionsRecord(found)
    }
    return stored.get(height, make) ?? []
  }

  function decodeTransactions(height: number): readonly Transaction[] {
    const decoded: Transaction[] = []
    for (const { raw, sender, transactionIndex } of storedAt(height)) {
      if (transactionIndex === undefined) continue
      if (sender === undefined || transactionIndex !== decoded.length)
        throw new CorruptRecordError(`the transactions of block ${height} are out of order`)
      decoded.push(decodeKnownTransaction(raw, sender))
    }
    return decoded
  }

  function blockLogs(height: number): readonly TransactionLogs[] {
    const record = tables.logs.get(heightKey(height))
    return record === undefined ? [] : decodeLogsRecord(record)
  }

  return {
    header: (height) =>
      headers.get(height, () => {
        const record = tables.headers.get(heightKey(height))
        return record && decodeHeaderRecord(record, height)
      }),
    heightOfHash(blockHash) {
      const height = tables.blockHashes.get(blockHash)
      return height && readHeight(height)
    },
    transactions: (height) => transactions.get(height, () => decodeTransactions(height)) ?? [],
    receipts: (height) =>
      receipts.get(height, () => {
        const record = tables.receipts.get(heightKey(height))
        return record && decodeReceiptsRecord(record, blockLogs(height))
      }) ?? [],
    blockLogs,
    decided: storedAt,
    findTransaction(hash) {
      for (const { height, index } of findHashEntries(tables.transactionHashes, hash)) {
        const found = storedAt(height)[index]
        if (found?.transactionIndex !== undefined && equalBytes(keccak256(found.raw), hash))
          return { height, index: found.transactionIndex }
      }
      return undefined
    },
    findDecided(consensusHash) {
      for (const place of findHashEntries(tables.transactionHashes, consensusHash)) {
        const found = storedAt(place.height)[place.index]
        if (found !== undefined && equalBytes(sha256(found.raw), consensusHash)) return place
      }
      return undefined
    },
  }
}
