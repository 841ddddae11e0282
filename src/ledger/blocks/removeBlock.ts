/** Removes the records of one block from the tables, and its entries from the indexes. */
import { keccak256 } from '../../base/keccak.ts'
import type { Sha256 } from '../../proof/comet/crypto.ts'
import { removeLogEntries } from '../logs/logIndex.ts'
import type { KvTable } from '../../store/kvTable.ts'
import type { ChainTables } from '../tables.ts'
import { hashIndexKey } from './hashIndex.ts'
import { decodeHeaderRecord } from './headerRecord.ts'
import { heightKey } from './heightKey.ts'
import { decodeDecided } from './transactionsRecord.ts'

function removeHashes(tables: ChainTables, height: number, sha256: Sha256): void {
  const record = tables.transactions.get(heightKey(height))
  if (record === undefined) return
  for (const [index, { raw }] of decodeDecided(record).entries())
    for (const hash of [sha256(raw), keccak256(raw)])
      tables.transactionHashes.remove(hashIndexKey(hash, height, index))
}

const recordsOf = (tables: ChainTables): readonly KvTable[] => [
  tables.headers,
  tables.transactions,
  tables.receipts,
  tables.logs,
  tables.validatorUpdates,
  tables.systemLogs,
]

/** Removes an existing block, inside a write transaction. Its state changes are not touched. */
export function removeBlock(tables: ChainTables, height: number, sha256: Sha256): void {
  const key = heightKey(height)
  const header = tables.headers.get(key)
  if (header === undefined) return
  removeHashes(tables, height, sha256)
  removeLogEntries(tables, height)
  tables.blockHashes.remove(decodeHeaderRecord(header, height).hash)
  for (const table of recordsOf(tables)) table.remove(key)
}
