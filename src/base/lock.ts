/** One process per home: a lock file that names its owner and is taken over only once that process is gone. */
import fs from 'node:fs'
import { codeOf, UserError } from './errors.ts'
import { isRunning, processId, type ProcessId } from './processes.ts'

function readOwner(file: string): ProcessId | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value))
      return undefined
    return { pid: Number(value.pid), started: String(value.started) }
  } catch {
    return undefined
  }
}

/**
 * Takes the lock `file` for this process and returns the function that releases it. Throws UserError naming the owner
 * when another live process holds it. `what` completes "… is in use".
 */
export function takeLock(file: string, what: string): () => void {
  const claim = `${file}.${process.pid}`
  fs.writeFileSync(claim, JSON.stringify(processId(process.pid)), { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        // A hard link is created atomically, so no process ever sees a lock without its owner.
        fs.linkSync(claim, file)
        return () => fs.rmSync(file, { force: true })
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
      const owner = readOwner(file)
      if (owner !== undefined && isRunning(owner))
        throw new UserError(
          `${what} is in use by process ${owner.pid}`,
          'Stop that process first, or choose another --home.',
        )
      removeStale(file, owner)
    }
    throw new UserError(
      `${what} is in use`,
      `Several processes are starting at once: try again, or remove ${file}.`,
    )
  } finally {
    fs.rmSync(claim, { force: true })
  }
}

/** The live process that holds a lock, or undefined. */
export function ownerOf(file: string): number | undefined {
  const owner = readOwner(file)
  return owner !== undefined && isRunning(owner) ? owner.pid : undefined
}

/** Whether a process that held the lock ended without releasing it. */
export function wasLeftLocked(file: string): boolean {
  return fs.existsSync(file) && !isRunning(readOwner(file) ?? { pid: 0, started: 'never' })
}

/** Moves a dead owner's lock away, and puts it back if a live process has taken the lock in between. */
function removeStale(file: string, expected: ProcessId | undefined): void {
  const aside = `${file}.stale.${process.pid}`
  try {
    fs.renameSync(file, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  const moved = readOwner(aside)
  if (moved !== undefined && moved.pid !== expected?.pid && isRunning(moved)) {
    try {
      fs.linkSync(aside, file)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
  fs.rmSync(aside, { force: true })
}
