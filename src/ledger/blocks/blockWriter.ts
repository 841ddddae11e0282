/** Writes everything about a block except its state, inside a write transaction. */
import { keccak256 } from '../../base/keccak.ts'
import type { Steps } from '../../base/steps.ts'
import type { Sha256 } from '../../proof/comet/crypto.ts'
import type { BlockHeader } from '../../chain/block.ts'
import type { ExecutedBlock } from '../../chain/executed.ts'
import { putLogEntries } from '../logs/logIndex.ts'
import { writeFact, type ChainTables } from '../tables.ts'
import { sortByKey } from '../trie/sortByKey.ts'
import { hashIndexKey, putHashEntry } from './hashIndex.ts'
import { encodeHeaderRecord } from './headerRecord.ts'
import { heightKey } from './heightKey.ts'
import { encodeLogsRecord } from './logsRecord.ts'
import { encodeReceiptsRecord } from './receiptsRecord.ts'
import { encodeSystemLogs } from './systemLogs.ts'
import { encodeTransactionsRecord } from './transactionsRecord.ts'
import { encodeValidatorUpdates } from './validatorUpdates.ts'

/** Transactions whose hashes are indexed in one step. */
const HASHES_PER_STEP = 128

/** The places of a block's transactions by their hashes. */
export function* writeHashes(
  tables: ChainTables,
  height: number,
  block: Pick<ExecutedBlock, 'decided' | 'transactions'>,
  sha256: Sha256,
): Steps<void> {
  const entries: { readonly key: Uint8Array }[] = []
  for (const [index, { raw, transactionIndex }] of block.decided.entries()) {
    if (index % HASHES_PER_STEP === 0) yield
    entries.push({ key: hashIndexKey(sha256(raw), height, index) })
    if (transactionIndex === undefined) continue
    const hash = block.transactions[transactionIndex]?.hash ?? keccak256(raw)
    entries.push({ key: hashIndexKey(hash, height, index) })
  }
  // Ascending keys share pages of the table while it is small.
  for (const { key } of sortByKey(entries)) putHashEntry(tables.transactionHashes, key)
}

/** The block's own records, its place in the indexes, and the new tip. */
export function* writeBlock(
  tables: ChainTables,
  header: BlockHeader,
  block: ExecutedBlock,
  sha256: Sha256,
): Steps<void> {
  const { height } = header
  const key = heightKey(height)
  const logs = encodeLogsRecord(block)
  tables.headers.put(key, encodeHeaderRecord(header))
  if (block.decided.length > 0) {
    yield
    tables.transactions.put(key, encodeTransactionsRecord(block))
    yield
    tables.receipts.put(key, encodeReceiptsRecord(block.receipts, logs.groups))
    yield* writeHashes(tables, height, block, sha256)
  }
  if (logs.record.length > 0) {
    yield
    tables.logs.put(key, logs.record)
    putLogEntries(tables.logIndex, height, logs.record)
  }
  if (block.validatorUpdates.length > 0)
    tables.validatorUpdates.put(key, encodeValidatorUpdates(block.validatorUpdates))
  if (block.systemLogs.length > 0) tables.systemLogs.put(key, encodeSystemLogs(block.systemLogs))
  writeFact(tables, 'logsIndexed', height)
  tables.blockHashes.put(header.hash, key)
  writeFact(tables, 'tip', height)
}
