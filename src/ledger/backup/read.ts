/**
 * Reads the records of a backup while the chain goes on: in stretches of some milliseconds, each in a snapshot of the
 * store of its own, so that none keeps pages from being reused. Only what cannot be computed again is read
 * (D108).
 */
import { compareBytes } from '../../base/bytes.ts'
import { fromHex, toHexDigits } from '../../base/hex.ts'
import { StateUnavailableError } from '../../chain/reader.ts'
import type { Kv } from '../../store/kv.ts'
import type { KvTable } from '../../store/kvTable.ts'
import { heightKey } from '../blocks/heightKey.ts'
import { CorruptRecordError } from '../records/reader.ts'
import { freezeState } from '../snapshot/frozenState.ts'
import { stretches } from '../snapshot/scan.ts'
import { codeHashOf } from '../state/accountRecord.ts'
import { readFact, type ChainTables } from '../tables.ts'
import type { BackupEntry } from './chunks.ts'

/** Tables by height. Their records are final once the block is, apart from pruning. */
export const BLOCK_TABLES = [
  'headers',
  'transactions',
  'receipts',
  'logs',
  'validatorUpdates',
  'systemLogs',
  'changesets',
] as const satisfies readonly (keyof ChainTables)[]

/** Tables of the state after a height. */
export const STATE_TABLES = [
  'accounts',
  'slots',
  'codes',
] as const satisfies readonly (keyof ChainTables)[]

/** A table and its position in the backup's list. */
export type NumberedTable = { readonly number: number; readonly table: KvTable }

/** Number of blocks that are read at once. */
const BLOCKS_AT_ONCE = 64

/**
 * The records of the blocks first…last. `tables` begin with that of headers. Throws StateUnavailableError when pruning
 * overtakes it.
 */
export function* blockEntries(
  kv: Pick<Kv, 'refresh'>,
  tables: readonly NumberedTable[],
  first: number,
  last: number,
): Generator<BackupEntry> {
  for (let from = first; from <= last; from += BLOCKS_AT_ONCE) {
    kv.refresh()
    const to = Math.min(last, from + BLOCKS_AT_ONCE - 1)
    const range = { start: heightKey(from), end: heightKey(to + 1) }
    const read = tables.map(({ number, table }) =>
      Array.from(table.range(range), ({ key, value }) => ({ table: number, key, value })),
    )
    if (read[0]?.length !== to - from + 1)
      throw new StateUnavailableError(`the blocks ${from} to ${to} are pruned`)
    for (const entries of read) yield* entries
  }
}

/** The numbers of the state's tables in the backup's list. */
export type StateNumbers = Readonly<Record<(typeof STATE_TABLES)[number], number>>

/**
 * The state after a height: accounts, slots, and the codes that accounts have. Throws StateUnavailableError when pruning
 * overtakes it.
 */
export function* stateEntries(
  kv: Pick<Kv, 'refresh'>,
  tables: ChainTables,
  height: number,
  numbers: StateNumbers,
): Generator<BackupEntry> {
  const state = freezeState(kv, tables, height)
  const used = new Set<string>()
  for (const { key, value } of state.accounts()) {
    const codeHash = codeHashOf(value)
    if (codeHash !== undefined) used.add(toHexDigits(codeHash))
    yield { table: numbers.accounts, key, value }
  }
  for (const { key, value } of state.slots()) yield { table: numbers.slots, key, value }
  for (const key of [...used].map((digits) => fromHex(digits)).sort(compareBytes)) {
    const value = tables.codes.get(key)
    if (value === undefined)
      throw new CorruptRecordError(`code ${toHexDigits(key)} of an account is not stored`)
    yield { table: numbers.codes, key, value }
  }
}

/** All codes, also those that only accounts of earlier heights have: one for each hash, ascending. */
export function* codeEntries(
  kv: Pick<Kv, 'refresh'>,
  tables: ChainTables,
  number: number,
): Generator<BackupEntry> {
  kv.refresh()
  for (const entries of stretches(tables.codes)) {
    for (const { key, value } of entries) yield { table: number, key, value }
    kv.refresh()
  }
}

/** What a chain keeps, and how often blocks were rolled back in it (D56), as one snapshot sees it. */
export type Extent = {
  readonly tip: number
  readonly earliest: number
  readonly earliestState: number
  readonly rollbacks: number
}

/** Number of heights that a pruning node may remove while they are being read: they are left out. */
const MARGIN = 128

/** The extent of a chain that can be read while its node runs; undefined before genesis. */
export function extentOf(tables: ChainTables): Extent | undefined {
  const tip = readFact(tables, 'tip')
  if (tip === undefined || readFact(tables, 'restoring') !== undefined) return undefined
  const floor = (kept: number): number =>
    kept === 0 ? 0 : Math.max(kept, Math.min(kept + MARGIN, tip - 1))
  return {
    tip,
    earliest: floor(readFact(tables, 'earliest') ?? 0),
    earliestState: floor(readFact(tables, 'earliestState') ?? 0),
    rollbacks: readFact(tables, 'rollbacks') ?? 0,
  }
}
