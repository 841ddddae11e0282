/**
 * The snapshot of a height: the state after it, its block, and the headers before it. Every node produces the same
 * bytes, no matter how far its own chain has advanced and what else it stores.
 */
import { compareBytes, EMPTY_BYTES } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import type { Kv } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { CorruptRecordError } from '../records/reader.ts'
import { codeHashOf } from '../state/accountRecord.ts'
import type { ChainTables } from '../tables.ts'
import { KIND, packChunks, type EntryKind, type SnapshotEntry } from './entries.ts'
import { freezeState } from './frozenState.ts'

/** Number of headers in a snapshot, including that of its block: as many as BLOCKHASH and a section of blooms look back. */
export const SNAPSHOT_HEADERS = 256

/** The first height whose header is in the snapshot of a height. Every node already has genesis. */
export function firstHeader(height: number): number {
  return Math.max(1, height - SNAPSHOT_HEADERS + 1)
}

/** A block's records may be larger than a chunk. */
const PART_SIZE = 1 << 20

function required(table: KvTable, key: Uint8Array, what: string): Uint8Array {
  const value = table.get(key)
  if (value === undefined) throw new CorruptRecordError(`${what} is not stored`)
  return value
}

function* partsOf(kind: EntryKind, record: Uint8Array = EMPTY_BYTES): Generator<SnapshotEntry> {
  for (let part = 0; part * PART_SIZE < record.length; part++) {
    const value = record.subarray(part * PART_SIZE, (part + 1) * PART_SIZE)
    yield { kind, key: heightKey(part), value }
  }
}

/** Headers and the block, read up front: a pruned chain may lose them later. */
function blockEntries(tables: ChainTables, height: number): readonly SnapshotEntry[] {
  const headers: SnapshotEntry[] = []
  for (let at = firstHeader(height); at <= height; at++) {
    const key = heightKey(at)
    const value = required(tables.headers, key, `the header of block ${at}`)
    headers.push({ kind: KIND.header, key, value })
  }
  const { transactions, receipts, logs, validatorUpdates } = tables
  return [
    ...headers,
    ...partsOf(KIND.transactions, transactions.get(heightKey(height))),
    ...partsOf(KIND.receipts, receipts.get(heightKey(height))),
    ...partsOf(KIND.logs, logs.get(heightKey(height))),
    ...partsOf(KIND.validatorUpdates, validatorUpdates.get(heightKey(height))),
  ]
}

function* snapshotEntries(
  kv: Pick<Kv, 'refresh'>,
  tables: ChainTables,
  height: number,
  stretch: number | undefined,
): Generator<SnapshotEntry> {
  kv.refresh()
  yield* blockEntries(tables, height)
  const state = freezeState(kv, tables, height, stretch)
  // More codes may be stored: the code of a deleted account is never removed.
  const codes = new Set<string>()
  for (const { key, value } of state.accounts()) {
    const codeHash = codeHashOf(value)
    if (codeHash !== undefined) codes.add(toHexDigits(codeHash))
    yield { kind: KIND.account, key, value }
  }
  for (const key of [...codes].map((digits) => fromHex(digits)).sort(compareBytes))
    yield { kind: KIND.code, key, value: required(tables.codes, key, 'the code of an account') }
  for (const { key, value } of state.slots()) yield { kind: KIND.slot, key, value }
}

export type TakeOptions = {
  /** Size of a chunk in bytes; only tests override the default. */
  readonly chunkSize?: number
  /** Number of entries read from the store at once. */
  readonly stretch?: number
}

/**
 * The chunks of the snapshot of a committed height. They are built one by one, and the chain may advance in between:
 * each holds the store's pages for only some milliseconds. Throws StateUnavailableError if pruning overtakes it.
 */
export function takeSnapshot(
  kv: Pick<Kv, 'refresh'>,
  tables: ChainTables,
  height: number,
  options: TakeOptions = {},
): Generator<Uint8Array> {
  return packChunks(snapshotEntries(kv, tables, height, options.stretch), options.chunkSize)
}
