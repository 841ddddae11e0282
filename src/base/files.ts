/** Files that must never be seen half-written. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'

/**
 * Replaces a file as a whole: temporary file beside it, fsync, rename, fsync of the folder. After a crash the file holds
 * either the old or the new content. `mode` is 0600 unless given.
 */
export function writeFileAtomic(file: string, content: string | Uint8Array, mode = 0o600): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  const handle = fs.openSync(temporary, 'wx', mode)
  try {
    fs.writeFileSync(handle, content)
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
  fs.renameSync(temporary, file)
  syncFolder(path.dirname(file))
}

/** Makes renames and new names in a folder durable. */
export function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}
