/** The version of what the tables hold (D54): an older store is brought forward step by step, a newer one refused. */
import { utf8 } from '../base/bytes.ts'
import { UserError } from '../base/errors.ts'
import type { Kv } from './kv.ts'

/** Rewrites what its version changed. It runs inside one write transaction, together with the new version. */
export type SchemaStep = {
  /** Tables that the step uses; they are opened before its transaction. */
  readonly tables: readonly string[]
  readonly run: (kv: Kv) => void
}

/**
 * Version 2 keeps transactions, receipts, logs and the trie in other records. Version 1 was only ever written by programs
 * from before the first release, so its chains are not carried over.
 */
const packedRecords: SchemaStep = {
  tables: ['chain'],
  run(kv) {
    if (kv.table('chain').get(utf8('tip')) === undefined) return
    throw new UserError(
      'this home was made by an early development version, whose store this program cannot read',
      'Move the home away, or choose another with --home: a new chain begins there.',
    )
  },
}

/** Version 3 finds logs by an index, which the chain makes when it is opened; the blooms of sections go. */
const logIndex: SchemaStep = {
  tables: ['blooms'],
  run(kv) {
    const blooms = kv.table('blooms')
    for (const { key } of Array.from(blooms.range({}))) blooms.remove(key)
  },
}

/** Step i leads from version i + 1 to version i + 2. Steps are only ever added. */
export const SCHEMA_STEPS: readonly SchemaStep[] = [packedRecords, logIndex]

const KEY = utf8('schemaVersion')
const META = 'meta'

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
 * Stamps a new store, and brings an older one to the version that the steps lead to. Each step is on disk with its version
 * or not at all, so one that was interrupted is simply run again. Throws UserError for a store of a newer program.
 */
export function migrateSchema(kv: Kv, steps: readonly SchemaStep[] = SCHEMA_STEPS): void {
  const current = steps.length + 1
  const found = readSchemaVersion(kv)
  if (found === undefined) return kv.write(() => putVersion(kv, current))
  if (found > current)
    throw new UserError(
      `this home has schema version ${found}, and this program knows up to ${current}`,
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
