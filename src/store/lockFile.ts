/**
 * LMDB's table of readers, lock.mdb, is mapped into memory and grown without being written: on a full disk the first
 * touch of it ends the process with SIGBUS. Written once before, a full disk is an error instead.
 */
import fs from 'node:fs'
import path from 'node:path'
import { codeOf, UserError } from '../base/errors.ts'

/** LMDB takes as many readers as fit: some 250. */
const SIZE = 16_384

/** Whether the file has its space on disk. */
function hasSpace(file: string): boolean {
  try {
    return fs.statSync(file).blocks > 0
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** Prepares the file in a store's folder, before LMDB opens it. Throws UserError when the disk is full. */
export function prepareLockFile(folder: string): void {
  const file = path.join(folder, 'lock.mdb')
  if (hasSpace(file)) return
  try {
    fs.mkdirSync(folder, { recursive: true })
    const handle = fs.openSync(file, 'a', 0o644)
    try {
      fs.writeSync(handle, new Uint8Array(Math.max(0, SIZE - fs.fstatSync(handle).size)))
    } finally {
      fs.closeSync(handle)
    }
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) return
    fs.rmSync(file, { force: true })
    throw new UserError(
      `the store in ${folder} can't be opened: its disk is full`,
      'Free up space, then run the command again.',
    )
  }
}
