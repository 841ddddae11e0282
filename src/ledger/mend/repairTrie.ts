/** Mends the stored state trie from the flat state (D88). */
import { equalBytes } from '../../base/bytes.ts'
import type { Kv } from '../../store/kv.ts'
import { decodeHeaderRecord } from '../blocks/headerRecord.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { CorruptRecordError } from '../records/reader.ts'
import { BadSnapshotError } from '../snapshot/badSnapshot.ts'
import { buildStateTrie } from '../snapshot/buildTrie.ts'
import { emptyTable } from '../snapshot/scan.ts'
import { readFact, writeFact, type ChainTables } from '../tables.ts'

async function build(kv: Kv, tables: ChainTables): Promise<Uint8Array> {
  try {
    return await buildStateTrie(kv, tables, { hasOldCode: true })
  } catch (error) {
    if (error instanceof BadSnapshotError) throw new CorruptRecordError(error.message)
    throw error
  }
}

/**
 * Builds the stored trie again, as a checkpoint of the last block. Throws CorruptRecordError if the flat state does not
 * have the root of that block's header: then neither can be mended from the other, and the trie is left unusable. Not
 * for chains whose blocks may be rolled back (D56): their trie is not stored.
 */
export async function repairTrie(kv: Kv, tables: ChainTables): Promise<void> {
  const tip = readFact(tables, 'tip') ?? 0
  const record = tables.headers.get(heightKey(tip))
  if (record === undefined) throw new CorruptRecordError(`the header of block ${tip} is missing`)
  for (const table of [tables.trieJournal, tables.accountTrie, tables.storageTrie])
    emptyTable(kv, table)
  const root = await build(kv, tables)
  if (!equalBytes(root, decodeHeaderRecord(record, tip).stateRoot))
    throw new CorruptRecordError(`the flat state does not have the state root of block ${tip}`)
  kv.write(() => writeFact(tables, 'checkpoint', tip))
}
