/** Whether the records of a store have checksums, told from the one record that is never copied unseen: its version. */
import type { Database, RootDatabase } from 'lmdb'
import { utf8 } from '../base/bytes.ts'

/** The table with the schema version, and its key there. */
export const META_TABLE = 'meta'
export const VERSION_KEY: Uint8Array = utf8('schemaVersion')

/** Bytes of a version without a checksum. */
const VERSION_SIZE = 4

type Bytes = Uint8Array

/** Whether the store was written by a program from before checksums: schema versions 1 to 3 (D85). */
export function isUnsealedStore(root: RootDatabase<Bytes, Bytes>): boolean {
  const meta = root.openDB<Bytes, Bytes>({
    name: META_TABLE,
    encoding: 'binary',
    keyEncoding: 'binary',
  }) as Database<Bytes, Bytes> | undefined
  return meta?.getBinary(VERSION_KEY)?.length === VERSION_SIZE
}
