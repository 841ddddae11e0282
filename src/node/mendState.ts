/**
 * Mends the state of a chain whose blocks cannot be executed again, in a store that was salvaged (D89): flat state and
 * state trie are mended from each other.
 */
import { messageOf } from '../base/errors.ts'
import { findFlatFaults } from '../ledger/mend/flatFaults.ts'
import { repairFlat } from '../ledger/mend/repairFlat.ts'
import { repairTrie } from '../ledger/mend/repairTrie.ts'
import { recoverStateTrie } from '../ledger/state/recover.ts'
import { readFact, type ChainTables } from '../ledger/tables.ts'
import type { Kv } from '../store/kv.ts'
import type { StoreFault } from '../store/pages/scanStore.ts'

/** Tables that hold the last state twice over. */
const STATE_TABLES: ReadonlySet<string> = new Set([
  'accounts',
  'slots',
  'accountTrie',
  'storageTrie',
  'trieJournal',
])

/** Whether nothing else was lost; the list of free pages is made again with the store. */
export function isOnlyState(damage: readonly StoreFault[]): boolean {
  return damage.every(
    ({ table, reason }) =>
      (table !== undefined && STATE_TABLES.has(table)) ||
      (table === undefined && reason.includes('the list of free pages')),
  )
}

/** Mends the state after the last block. Returns what is still wrong with it. */
export async function mendState(kv: Kv, tables: ChainTables): Promise<readonly string[]> {
  const faults: string[] = []
  try {
    const trie = recoverStateTrie(kv, tables, readFact(tables, 'tip') ?? 0)
    repairFlat(kv, tables, trie)
    findFlatFaults(tables, trie, ({ table, reason }) => faults.push(`table ${table}: ${reason}`))
    return faults
  } catch {
    // The trie is damaged itself: it is made from the flat state, if that has the root of the last block.
  }
  try {
    await repairTrie(kv, tables)
    return []
  } catch (error) {
    return [messageOf(error)]
  }
}
