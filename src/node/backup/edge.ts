/**
 * What a backup needs beyond the blocks up to its height: genesis, the block after, which the first start executes again,
 * and the position of the embedded engine at that block.
 */
import { ENGINE_TABLES } from '../../consensus/embedded/blockStore.ts'
import type { BackupEntry } from '../../ledger/backup/chunks.ts'
import { heightKey } from '../../ledger/blocks/heightKey.ts'
import type { OfflineChain } from '../offline.ts'

/** The records, read from one snapshot. `tip` is the last block, `numberOf` the position of a table. */
export function* edgeEntries(
  { kv, tables }: OfflineChain,
  tip: number,
  numberOf: (name: string) => number,
): Generator<BackupEntry> {
  const record = (name: string, key: Uint8Array): BackupEntry[] => {
    const value = kv.table(name).get(key)
    return value === undefined ? [] : [{ table: numberOf(name), key, value }]
  }
  const genesis = tables.headers.get(heightKey(0))
  if (genesis !== undefined) yield { table: numberOf('headers'), key: heightKey(0), value: genesis }
  yield* record('transactions', heightKey(tip))
  yield* record(ENGINE_TABLES.blocks, heightKey(tip))
  for (const { key, value } of kv.table(ENGINE_TABLES.values).range({}))
    yield { table: numberOf(ENGINE_TABLES.values), key, value }
}
