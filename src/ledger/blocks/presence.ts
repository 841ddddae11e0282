/**
 * Tells a record that a block does not have from one that is missing (D87): headers say whether there are transactions,
 * receipts and logs, and every block that is kept has a header.
 */
import { equalBytes } from '../../base/bytes.ts'
import type { BlockHeader } from '../../chain/block.ts'
import { EMPTY_TRIE_ROOT } from '../../proof/mpt.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { readFact, type ChainTables } from '../tables.ts'
import { heightKey } from './heightKey.ts'

/** Whether a block with this header has a record. */
export const HAS = {
  transactions: ({ transactionsRoot }: BlockHeader) =>
    !equalBytes(transactionsRoot, EMPTY_TRIE_ROOT),
  receipts: ({ receiptsRoot }: BlockHeader) => !equalBytes(receiptsRoot, EMPTY_TRIE_ROOT),
  logs: ({ logsBloom }: BlockHeader) => logsBloom.some((byte) => byte !== 0),
} as const

/**
 * To be called where no record was found under a height: throws KvCorruptionError if the block is kept. Both are read
 * from the tables again, since only these are of one moment.
 */
export function requirePruned(tables: ChainTables, table: KvTable, height: number): void {
  const tip = readFact(tables, 'tip')
  if (tip === undefined || height > tip || height < (readFact(tables, 'earliest') ?? 0)) return
  throw table.damaged(heightKey(height), 'is missing')
}
