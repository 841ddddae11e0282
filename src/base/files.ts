/** Files that must never be seen half-written. After a crash there is the old content, the new one, or no file. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs'
import path from 'node:path'
import { withReserve } from './descriptors.ts'
import { codeOf } from './errors.ts'

/** Writes and syncs a temporary file next to `file`, lets `publish` move it into place, and removes what is left of it. */
function writeBeside(
  file: string,
  content: string | Uint8Array,
  mode: number,
  publish: (temporary: string) => void,
): void {
  const temporary = `${file}.${randomBytes(6).toString('hex')}.tmp`
  try {
    const handle = fs.openSync(temporary, 'wx', mode)
    try {
      fs.writeFileSync(handle, content)
      fs.fsyncSync(handle)
    } finally {
      fs.closeSync(handle)
    }
    publish(temporary)
  } finally {
    fs.rmSync(temporary, { force: true })
  }
  syncFolder(path.dirname(file))
}

/** Replaces a file atomically: renames a synced one over it and syncs the folder. `mode` is 0600 unless given. */
export function writeFileAtomic(file: string, content: string | Uint8Array, mode = 0o600): void {
  withReserve(() => writeBeside(file, content, mode, (temporary) => fs.renameSync(temporary, file)))
}

/** Creates a file (mode 0600) unless it exists: a hard link appears atomically and never replaces a file. */
export function createFile(file: string, content: string | Uint8Array): void {
  writeBeside(file, content, 0o600, (temporary) => {
    try {
      fs.linkSync(temporary, file)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  })
}

/** Makes renames and new entries in a folder durable. */
export function syncFolder(folder: string): void {
  const handle = fs.openSync(folder, 'r')
  try {
    fs.fsyncSync(handle)
  } finally {
    fs.closeSync(handle)
  }
}
