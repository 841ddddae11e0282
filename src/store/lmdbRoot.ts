/** Opens LMDB's environment of a store. */
import fs from 'node:fs'
import path from 'node:path'
import { open, type RootDatabase } from 'lmdb'
import { messageOf, UserError } from '../base/errors.ts'
import { KvError, KvFileError } from './kvError.ts'
import { faultOfStoreFile } from './kvFile.ts'
import { prepareLockFile } from './lockFile.ts'

const MAX_TABLES = 32

/**
 * Address space for the store's file; only the pages that are read take memory. A file that outgrows its map is mapped
 * again, and earlier maps stay until the store is closed: each page in use then counts as memory once per map. Windows
 * would make the file as large as the map, so there the map grows.
 */
const MAP_SIZE = process.platform === 'win32' ? undefined : 64 * 1024 ** 3

type Bytes = Uint8Array

/** The environment in a folder, which is created if it does not exist. Throws KvError. */
export function openRoot(
  folder: string,
  readOnly: boolean,
  isScratch: boolean,
): RootDatabase<Bytes, Bytes> {
  if (readOnly && !fs.existsSync(path.join(folder, 'data.mdb')))
    throw new KvError(`there is no store in ${folder}`, 'Start the node once to create it.')
  try {
    const fault = faultOfStoreFile(folder)
    if (fault !== undefined)
      throw new KvFileError(
        `the store can't be opened: ${fault}`,
        'Nothing was changed. Run: assay node check. It names what is damaged, and --repair mends what it can.',
      )
    prepareLockFile(folder)
    return open({
      path: folder,
      // Without this, a folder with a dot in its name would be mistaken for a file.
      noSubdir: false,
      encoding: 'binary',
      keyEncoding: 'binary',
      compression: false,
      maxDbs: MAX_TABLES,
      // A commit returns once it is on disk, in LMDB's default order: pages, sync, then the meta page.
      overlappingSync: false,
      ...(MAP_SIZE !== undefined && { mapSize: MAP_SIZE }),
      readOnly,
      noSync: isScratch,
    })
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new KvError(
      `the store in ${folder} can't be opened: ${messageOf(error)}`,
      'Check the permissions of the folder and the free space of its disk.',
    )
  }
}
