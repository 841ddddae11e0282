/**
 * The flat state after one height, read from tables that keep changing. Each stretch is read in a snapshot of its own,
 * together with the changesets of the blocks since: they hold the values that their blocks replaced.
 */
import { compareBytes } from '../../base/bytes.ts'
import type { Kv } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { StateUnavailableError } from '../../chain/reader.ts'
import { openChangeset, type Change } from '../state/changeset.ts'
import { isAccountKey, keyText } from '../state/flatKey.ts'
import { readFact, type ChainTables } from '../tables.ts'
import { keyBehind, type Entry } from './scan.ts'

export type FrozenState = {
  /** The accounts by address. Must be read to the end before the slots. */
  accounts(): Generator<Entry>
  /** The slots by address and slot. */
  slots(): Generator<Entry>
}

/** Number of entries read at once: a few milliseconds. */
const STRETCH = 4096

/** The entries of two ascending lists without common keys. */
function* merged(a: readonly Entry[], b: readonly Entry[]): Generator<Entry> {
  let i = 0
  for (const entry of a) {
    for (
      let next = b[i];
      next !== undefined && compareBytes(next.key, entry.key) < 0;
      next = b[i]
    ) {
      yield next
      i++
    }
    yield entry
  }
  yield* b.slice(i)
}

/** The state after `height`. Reading it throws StateUnavailableError when pruning has overtaken the reader. */
export function freezeState(
  kv: Pick<Kv, 'refresh'>,
  tables: ChainTables,
  height: number,
  stretch = STRETCH,
): FrozenState {
  /** Old values of entries that later blocks changed and that were not read yet. */
  const replaced = new Map<string, Change>()
  let followed = height
  /** Progress: all accounts or none were read, and the keys of the current table before `cursor`. */
  let hasAccounts = false
  let cursor: Uint8Array | undefined

  function isRead(key: Uint8Array): boolean {
    if (isAccountKey(key) === hasAccounts) return hasAccounts
    return cursor !== undefined && compareBytes(key, cursor) < 0
  }

  function follow(): void {
    const tip = readFact(tables, 'tip') ?? 0
    if (tip > followed && (readFact(tables, 'earliestState') ?? 0) > followed)
      throw new StateUnavailableError(`the state of block ${height} is pruned`)
    for (; followed < tip; followed++) {
      const record = tables.changesets.get(heightKey(followed + 1))
      if (record === undefined) continue
      const changeset = openChangeset(record)
      for (let i = 0; i < changeset.size; i++) {
        const { key, old } = changeset.entry(i)
        const text = keyText(key)
        if (!isRead(key) && !replaced.has(text))
          replaced.set(text, { key: key.slice(), old: old.slice() })
      }
    }
  }

  /** Removes and returns the replaced values under the keys of one table up to `last`, or to the table's end. */
  function takeReplaced(last: Uint8Array | undefined): ReadonlyMap<string, Change> {
    const taken = new Map<string, Change>()
    for (const [text, change] of replaced) {
      if (isAccountKey(change.key) === hasAccounts) continue
      if (last !== undefined && compareBytes(change.key, last) > 0) continue
      taken.set(text, change)
      replaced.delete(text)
    }
    return taken
  }

  function* read(table: KvTable): Generator<Entry> {
    cursor = undefined
    for (;;) {
      kv.refresh()
      follow()
      const present = Array.from(table.range({ limit: stretch, ...(cursor && { start: cursor }) }))
      const last = present.length < stretch ? undefined : present.at(-1)?.key
      const taken = takeReplaced(last)
      const same =
        taken.size === 0 ? present : present.filter(({ key }) => !taken.has(keyText(key)))
      const older = [...taken.values()]
        .filter(({ old }) => old.length > 0)
        .map(({ key, old }) => ({ key, value: old }))
        .sort((a, b) => compareBytes(a.key, b.key))
      if (last !== undefined) cursor = keyBehind(last)
      yield* merged(same, older)
      if (last === undefined) return
    }
  }

  return {
    *accounts() {
      yield* read(tables.accounts)
      hasAccounts = true
    },
    slots: () => read(tables.slots),
  }
}
