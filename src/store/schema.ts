/** The schema version of the tables (D54): an older store is migrated step by step, a newer one refused. */
import { utf8 } from '../base/bytes.ts'
import { UserError } from '../base/errors.ts'
import type { Kv } from './kv.ts'
import { META_TABLE as META, VERSION_KEY as KEY } from './recordFormat.ts'

/** Migrates what its version changed. It runs in one write transaction, which also stamps the new version. */
export type SchemaStep = {
  /** Tables that the step uses; they are opened before its transaction. */
  readonly tables: readonly string[]
  readonly run: (kv: Kv) => void
}

/**
 * Version 2 changes the records of transactions, receipts, logs and the trie. Version 1 was only ever written by
 * programs from before the first release, so its chains are not carried over.
 */
const packedRecords: SchemaStep = {
  tables: ['chain'],
  run(kv) {
    if (kv.table('chain').get(utf8('tip')) === undefined) return
    throw new UserError(
      'this home folder was created by an early development version, whose store this program cannot read',
      'Move the home folder away, or choose another with --home: a new chain starts there.',
    )
  },
}

/** Version 3 looks logs up in an index, which the chain builds when it is opened; the blooms of sections are removed. */
const logIndex: SchemaStep = {
  tables: ['blooms'],
  run(kv) {
    const blooms = kv.table('blooms')
    for (const { key } of Array.from(blooms.range({}))) blooms.remove(key)
  },
}

/**
 * Version 4 seals every record (D85). Since each of them changes, `upgradeStore` copies the store, so that nothing is
 * left to do here.
 */
const sealedRecords: SchemaStep = { tables: [], run() {} }

/** Step i leads from version i + 1 to version i + 2. Steps are only ever added. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [packedRecords, logIndex, sealedRecords]

/** The steps of stores without checksums. */
export const UNSEALED_STEPS: readonly SchemaStep[] = [packedRecords, logIndex]

/** The version that the store was written with; undefined for a new store. */
export function readSchemaVersion(kv: Kv): number | undefined {
  const value = kv.table(META).get(KEY)
  return value && new DataView(value.buffer, value.byteOffset).getUint32(0)
}

function putVersion(kv: Kv, version: number): void {
  const value = new Uint8Array(4)
  new DataView(value.buffer).setUint32(0, version)
  kv.table(META).put(KEY, value)
}

/**
 * Stamps a new store, and migrates an older one to the newest version. Each step is on disk with its version or not at
 * all, so an interrupted one is simply run again. Throws UserError for a store of a newer program.
 */
export function migrateSchema(kv: Kv, steps: readonly SchemaStep[] = SCHEMA_STEPS): void {
  const current = steps.length + 1
  const found = readSchemaVersion(kv)
  if (found === undefined) return kv.write(() => putVersion(kv, current))
  if (found > current)
    throw new UserError(
      `this home folder has schema version ${found}, but this program supports up to ${current}`,
      'Use the newer program that wrote it, or another --home.',
    )
  for (let version = found; version < current; version++) {
    const step = steps[version - 1]
    for (const table of step?.tables ?? []) kv.table(table)
    kv.write(() => {
      step?.run(kv)
      putVersion(kv, version + 1)
    })
  }
}
