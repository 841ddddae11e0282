/** The flat state at any height: the latest value, unless a later block changed it and kept the old one. */
import { heightKey } from '../blocks/heightKey.ts'
import { StateUnavailableError } from '../../chain/reader.ts'
import { CorruptRecordError } from '../records/reader.ts'
import { createRecentCache } from '../records/recentCache.ts'
import { openChangeset, type Changeset } from '../state/changeset.ts'
import type { LatestState } from '../state/latest.ts'
import { isAccountKey } from '../state/flatKey.ts'
import { readFact, type ChainTables } from '../tables.ts'
import { findPosting } from './postings.ts'
import type { HistoryTail } from './tail.ts'

export type FlatState = {
  /** The current state. */
  readonly latest: LatestState

  /** The record under a key after a height, when `tip` is the last block. undefined: no account, or a zero slot. */
  read(key: Uint8Array, height: number, tip: number): Uint8Array | undefined
  /** The old values of a block; undefined when it changed nothing. */
  changeset(height: number): Changeset | undefined
  /** Drops its caches: blocks were rolled back. */
  forget(): void
}

const RECENT_CHANGESETS = 16

/** The flat state over the tables and the current state; `tail` covers the blocks that have no posting lists yet. */
export function createFlatState(
  tables: ChainTables,
  tail: HistoryTail,
  latest: LatestState,
): FlatState {
  const recent = createRecentCache<Changeset>(RECENT_CHANGESETS)

  function changeset(height: number): Changeset | undefined {
    return recent.get(height, () => {
      const record = tables.changesets.get(heightKey(height))
      return record && openChangeset(record)
    })
  }

  function nextChange(key: Uint8Array, height: number, tip: number): number | undefined {
    tail.catchUp(tip)
    const history = isAccountKey(key) ? tables.accountHistory : tables.slotHistory
    // Posting lists cover the older blocks.
    const found = findPosting(history, key, height) ?? tail.find(key, height)
    return found !== undefined && found <= tip ? found : undefined
  }

  return {
    latest,
    changeset,
    forget: recent.forget,
    read(key, height, tip) {
      // Pruning may overtake a view: without its changesets it would read later values.
      if (height < tip && height < (readFact(tables, 'earliestState') ?? 0))
        throw new StateUnavailableError(`the state of block ${height} is pruned`)
      const changed = height < tip ? nextChange(key, height, tip) : undefined
      const old = changed === undefined ? latest.entry(key).record : changeset(changed)?.find(key)
      if (old === undefined)
        throw new CorruptRecordError(
          `the changeset of block ${changed} lacks a change of its index`,
        )
      return old.length === 0 ? undefined : old
    },
  }
}
