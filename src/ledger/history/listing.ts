/** All keys of the flat state at any height: the current ones, and those that only older blocks have. */
import { endOfPrefix } from '../../store/kv.ts'
import { HEIGHT_SIZE } from '../blocks/heightKey.ts'
import { keyText } from '../state/flatKey.ts'
import type { ChainTables } from '../tables.ts'
import type { FlatState } from './flatState.ts'
import type { HistoryTail } from './tail.ts'

/** A key of the flat state with its record. */
export type FlatRecord = { readonly key: Uint8Array; readonly record: Uint8Array }

export type Listing = {
  /** All accounts after a height, by address; `tip` is the last block. In no particular order, and read lazily. */
  accounts(height: number, tip: number): Iterable<FlatRecord>
  /** Likewise, all non-zero slots of an account. */
  slots(address: Uint8Array, height: number, tip: number): Iterable<FlatRecord>
}

/** Listing over the tables; `tail` covers the changes that have no posting lists yet. */
export function createListing(tables: ChainTables, tail: HistoryTail, flat: FlatState): Listing {
  /** All keys that ever changed, each at least once. */
  function* changedKeys(isAccount: boolean, prefix: Uint8Array): Generator<Uint8Array> {
    const history = isAccount ? tables.accountHistory : tables.slotHistory
    for (const { key } of history.range(rangeOf(prefix))) yield key.subarray(0, -HEIGHT_SIZE)
    yield* tail.keys(isAccount, prefix)
  }

  function* list(
    isAccount: boolean,
    prefix: Uint8Array,
    height: number,
    tip: number,
  ): Generator<FlatRecord> {
    const present = isAccount ? tables.accounts : tables.slots
    for (const { key, value } of present.range(rangeOf(prefix))) {
      const record = height === tip ? value : flat.read(key, height, tip)
      if (record !== undefined) yield { key, record }
    }
    if (height === tip) return
    tail.catchUp(tip)
    const seen = new Set<string>()
    for (const key of changedKeys(isAccount, prefix)) {
      const text = keyText(key)
      if (seen.has(text) || present.get(key) !== undefined) continue
      seen.add(text)
      const record = flat.read(key, height, tip)
      if (record !== undefined) yield { key, record }
    }
  }

  return {
    accounts: (height, tip) => list(true, new Uint8Array(0), height, tip),
    slots: (address, height, tip) => list(false, address, height, tip),
  }
}

function rangeOf(prefix: Uint8Array): { start?: Uint8Array; end?: Uint8Array } {
  if (prefix.length === 0) return {}
  const end = endOfPrefix(prefix)
  return { start: prefix, ...(end && { end }) }
}
