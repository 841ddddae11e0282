/** Reads and empties whole tables in stretches, so that no read transaction lasts long. */
import type { Kv } from '../../store/kv.ts'
import type { ExaminedRecord, KvTable } from '../../store/kvTable.ts'

export type Entry = { readonly key: Uint8Array; readonly value: Uint8Array }

/** Number of entries read at once: a few milliseconds. */
const STRETCH = 4096

/** The smallest key that sorts after this one. */
export function keyBehind(key: Uint8Array): Uint8Array {
  const next = new Uint8Array(key.length + 1)
  next.set(key)
  return next
}

/** All entries in stretches. The last one is shorter than the others, perhaps empty. The store may change in between. */
export function* stretches(table: KvTable, length = STRETCH): Generator<readonly Entry[]> {
  let start: Uint8Array | undefined
  for (;;) {
    const entries = Array.from(table.range({ limit: length, ...(start && { start }) }))
    yield entries
    const last = entries.at(-1)
    if (last === undefined || entries.length < length) return
    start = keyBehind(last.key)
  }
}

/** All entries, one after the other. */
export function* scan(table: KvTable): Generator<Entry> {
  for (const entries of stretches(table)) yield* entries
}

/** All entries in stretches, damaged ones too. The store may change in between. */
export function* examinedStretches(table: KvTable): Generator<readonly ExaminedRecord[]> {
  let start: Uint8Array | undefined
  for (;;) {
    const entries = Array.from(table.examine({ limit: STRETCH, ...(start && { start }) }))
    yield entries
    const last = entries.at(-1)
    if (last === undefined || entries.length < STRETCH) return
    start = keyBehind(last.key)
  }
}

/** Removes every entry, damaged ones too, in several transactions. */
export function emptyTable(kv: Kv, table: KvTable): void {
  for (const entries of examinedStretches(table))
    kv.write(() => {
      for (const { key } of entries) table.remove(key)
    })
}
