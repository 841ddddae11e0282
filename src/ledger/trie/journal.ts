/**
 * The undo journal of a checkpoint that is written in parts: the values that its writes replaced. Until it is complete,
 * the tables hold a mixture; undoing the journal restores the previous checkpoint, whenever the process ended.
 */
import { concatBytes } from '../../base/bytes.ts'
import type { Steps } from '../../base/steps.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { createRecordReader } from '../records/reader.ts'
import { writeRecord } from '../records/writer.ts'
import type { Kv } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import type { NodeWrite } from './unstored.ts'

/** The tables of the state trie. */
export type TrieTables = {
  readonly accounts: KvTable
  readonly storages: KvTable
  /** height of a checkpoint, ascending number → previous values of the other tables. */
  readonly journal: KvTable
}

/** The previous value of a key. */
type Replaced = {
  readonly table: KvTable
  readonly key: Uint8Array
  readonly old: Uint8Array | undefined
}

const ACCOUNTS = 0
const STORAGES = 1

// Two entries fill a page of the store: larger ones would each need a run of free pages.
const ENTRY_SIZE = 1900

function journalKey(checkpoint: number, number: number): Uint8Array {
  return concatBytes(heightKey(checkpoint), heightKey(number))
}

/**
 * Writes records of the checkpoint of a height, in a write transaction, and the values that they replace under numbers
 * from `number` on. Returns the number after the last one.
 */
export function* writeJournaled(
  tables: TrieTables,
  checkpoint: number,
  number: number,
  writes: readonly NodeWrite[],
): Steps<number> {
  let next = number
  let entry: Replaced[] = []
  let size = 0
  for (const { table, key } of writes) {
    const old = table.get(key)
    entry.push({ table, key, old })
    size += key.length + (old?.length ?? 0)
    if (size < ENTRY_SIZE) continue
    tables.journal.put(journalKey(checkpoint, next++), entryRecord(tables, entry))
    entry = []
    size = 0
    yield
  }
  if (entry.length > 0)
    tables.journal.put(journalKey(checkpoint, next++), entryRecord(tables, entry))
  writeNodes(writes)
  return next
}

function entryRecord(tables: TrieTables, entry: readonly Replaced[]): Uint8Array {
  return writeRecord((writer) => {
    for (const { table, key, old } of entry) {
      writer.byte(table === tables.accounts ? ACCOUNTS : STORAGES)
      writer.bytes(key)
      // No record is empty.
      if (old === undefined) writer.varint(0)
      else writer.bytes(old)
    }
  })
}

/** Writes records without a journal: for a first checkpoint, which is written at once. */
export function writeNodes(writes: Iterable<NodeWrite>): void {
  for (const { table, key, record } of writes)
    if (record === undefined) table.remove(key)
    else table.put(key, record)
}

/** Removes some entries of older checkpoints, which are complete, in a write transaction. */
export function removeStale({ journal }: TrieTables, checkpoint: number, limit: number): void {
  const stale = Array.from(journal.range({ end: heightKey(checkpoint), limit }), ({ key }) => key)
  for (const key of stale) journal.remove(key)
}

function undoPart({ accounts, storages }: TrieTables, entry: Uint8Array): void {
  const reader = createRecordReader(entry)
  const replaced: { table: KvTable; key: Uint8Array; old: Uint8Array }[] = []
  while (!reader.isAtEnd()) {
    const table = reader.byte() === ACCOUNTS ? accounts : storages
    replaced.push({ table, key: reader.bytes(), old: reader.bytes() })
  }
  for (const { table, key, old } of replaced.toReversed())
    if (old.length === 0) table.remove(key)
    else table.put(key, old)
}

/** Restores the last complete checkpoint, whose height is known, and empties the journal. */
export function undoJournal(kv: Kv, tables: TrieTables, complete: number): void {
  const { journal } = tables
  const keys = Array.from(journal.range({}), ({ key }) => key)
  if (keys.length === 0) return
  kv.write(() => {
    const replaced = Array.from(journal.range({ start: heightKey(complete + 1) }))
    for (const { value } of replaced.toReversed()) undoPart(tables, value)
    for (const key of keys) journal.remove(key)
  })
}
