/** The version of what the tables hold (D54): an older store is migrated, a newer one refused. */
import { KvError, type Kv } from './kv.ts'
import { utf8 } from '../base/bytes.ts'

const KEY = utf8('schemaVersion')
const META = 'meta'

/** The version that the store was written with; undefined for a new store. */
export function readSchemaVersion(kv: Kv): number | undefined {
  const value = kv.table(META).get(KEY)
  return value && new DataView(value.buffer, value.byteOffset).getUint32(0)
}

/** Stamps the store with a version. */
export function writeSchemaVersion(kv: Kv, version: number): void {
  const value = new Uint8Array(4)
  new DataView(value.buffer).setUint32(0, version)
  const meta = kv.table(META)
  kv.write(() => {
    meta.put(KEY, value)
  })
}

/**
 * Stamps a new store with `current` and returns the version that the store had. Throws KvError for a store of a newer
 * program; a caller that gets an older version runs the migrations.
 */
export function checkSchemaVersion(kv: Kv, current: number): number {
  const found = readSchemaVersion(kv)
  if (found === undefined) {
    writeSchemaVersion(kv, current)
    return current
  }
  if (found > current)
    throw new KvError(
      `the store has schema version ${found} and this program knows up to ${current}: use the newer program that wrote it`,
    )
  return found
}
