/** One process per home: a lock file that names its owner and is taken over only when that process is gone. */
import fs from 'node:fs'
import { codeOf, UserError } from './errors.ts'

type Owner = { readonly pid: number; readonly started: string }

/** When a process was started, as the kernel counts it, so that a re-used process id is not mistaken for the owner. */
function startOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? ''
  } catch {
    return ''
  }
}

function isAlive(owner: Owner): boolean {
  try {
    process.kill(owner.pid, 0)
  } catch (error) {
    if (codeOf(error) !== 'EPERM') return false
  }
  return owner.started === '' || startOf(owner.pid) === owner.started
}

function readOwner(file: string): Owner | undefined {
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
 * Takes the lock `file` for this process and returns the function that gives it back. Throws UserError naming the owner
 * when another live process holds it. `what` completes "… is in use".
 */
export function takeLock(file: string, what: string): () => void {
  const mine: Owner = { pid: process.pid, started: startOf(process.pid) }
  const claim = `${file}.${process.pid}`
  fs.writeFileSync(claim, JSON.stringify(mine), { mode: 0o600 })
  try {
    for (let attempt = 0; attempt < 5; attempt++) {
      try {
        // A link is made whole or not at all, so nobody ever sees a lock without its owner.
        fs.linkSync(claim, file)
        return () => fs.rmSync(file, { force: true })
      } catch (error) {
        if (codeOf(error) !== 'EEXIST') throw error
      }
      const owner = readOwner(file)
      if (owner !== undefined && isAlive(owner))
        throw new UserError(
          `${what} is in use by process ${owner.pid}`,
          'Stop that process first, or choose another --home.',
        )
      removeStale(file, owner)
    }
    throw new UserError(
      `${what} is in use`,
      `Several processes start at once; try again, or remove ${file}.`,
    )
  } finally {
    fs.rmSync(claim, { force: true })
  }
}

/** The live process that holds a lock, or undefined. */
export function ownerOf(file: string): number | undefined {
  const owner = readOwner(file)
  return owner !== undefined && isAlive(owner) ? owner.pid : undefined
}

/** Whether a process that held the lock ended without giving it back. */
export function wasLeftLocked(file: string): boolean {
  return fs.existsSync(file) && !isAlive(readOwner(file) ?? { pid: 0, started: 'never' })
}

/** Moves a dead owner's lock away, and puts it back when a live process took the name in between. */
function removeStale(file: string, expected: Owner | undefined): void {
  const aside = `${file}.stale.${process.pid}`
  try {
    fs.renameSync(file, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  const moved = readOwner(aside)
  if (moved !== undefined && moved.pid !== expected?.pid && isAlive(moved)) {
    try {
      fs.linkSync(aside, file)
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error
    }
  }
  fs.rmSync(aside, { force: true })
}
