/** Copies what can be read of a damaged store into a new one. */
import type { Kv } from '../kv.ts'
import { unsealRecord } from '../seal.ts'
import { scanStore, type StoreScan } from './scanStore.ts'

type Put = { readonly table: string; readonly key: Uint8Array; readonly value: Uint8Array }

/** Records of one write transaction. */
const PART = 20_000

/**
 * Copies every record that can be read. `target` has all tables that are expected; damaged records and those on damaged
 * pages are missing in it, and are the faults of the result.
 */
export function salvageStore(folder: string, target: Kv): StoreScan {
  let part: Put[] = []

  function write(): void {
    for (const table of new Set(part.map((put) => put.table))) target.table(table)
    target.write(() => {
      for (const { table, key, value } of part) target.table(table).put(key, value)
    })
    part = []
  }

  const scan = scanStore(folder, {
    onRecord(table, key, stored) {
      const value = unsealRecord(table, key, stored)
      part.push({ table, key: Uint8Array.from(key), value: Uint8Array.from(value) })
      if (part.length >= PART) write()
    },
  })
  write()
  return scan
}
