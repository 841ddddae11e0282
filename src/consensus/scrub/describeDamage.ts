/** Damage of the store's file in words: what is wrong, and which records of the chain are lost with it. */
import { toHex } from '../../base/hex.ts'
import { HEIGHT_SIZE, readHeight } from '../../ledger/blocks/heightKey.ts'
import type { StoreFault } from '../../store/pages/scanStore.ts'

/** Tables whose keys are heights. */
const BY_HEIGHT: ReadonlySet<string> = new Set([
  'headers',
  'transactions',
  'receipts',
  'logs',
  'changesets',
  'validatorUpdates',
  'systemLogs',
  'consensus-blocks',
])

/** Bytes of a key that are shown. */
const SHOWN = 32

function keyText(table: string, key: Uint8Array): string {
  if (BY_HEIGHT.has(table) && key.length === HEIGHT_SIZE) return `block ${readHeight(key)}`
  return key.length > SHOWN ? `${toHex(key.subarray(0, SHOWN))}…` : toHex(key)
}

function rangeText(table: string, { from, to }: StoreFault): string {
  if (from !== undefined && from === to) return `the record of ${keyText(table, from)}`
  if (from === undefined && to === undefined) return 'all records'
  const start = from === undefined ? 'the first record' : keyText(table, from)
  return to === undefined
    ? `the records from ${start} to the last`
    : `the records from ${start} up to ${keyText(table, to)}`
}

/** One fault as a sentence without a full stop. */
export function describeDamage(fault: StoreFault): string {
  const { table, reason } = fault
  if (table === undefined) return `the store's file is damaged: ${reason}`
  return `table ${table} is damaged: ${reason}; lost: ${rangeText(table, fault)}`
}
