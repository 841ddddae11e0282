/**
 * One process per home. The kernel holds the lock (D67); what stands in its file only names the owner for messages, and
 * tells whether the last one released it.
 */
import fs from 'node:fs'
import { codeOf, UserError } from './errors.ts'
import { openLocked } from './kernelLock.ts'
import { isRunning, processId, type ProcessId } from './processes.ts'

/** Files of locks are short; more is not one of ours. */
const MAX_TEXT_BYTES = 1024

type Owner = ProcessId & {
  /** Whether the owner holds a lock of the kernel. Programs until 0.1 held none: their file alone was the lock. */
  readonly isKernelLock: boolean
}

export type HeldLock = {
  /** Whether the owner before ended without releasing it. */
  readonly wasLeft: boolean
  /** Open file that holds the lock. A child process that gets it holds the lock, too, as long as it runs. */
  readonly descriptor: number
  /** Releases it; further calls do nothing. */
  release(): void
}

function parseOwner(text: string): Owner | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value !== 'object' || value === null || !('pid' in value) || !('started' in value))
      return undefined
    const { pid, started } = value
    return { pid: Number(pid), started: String(started), isKernelLock: 'kernelLock' in value }
  } catch {
    return undefined
  }
}

function readText(file: string): string {
  try {
    return fs.readFileSync(file, 'utf8').slice(0, MAX_TEXT_BYTES)
  } catch {
    return ''
  }
}

function inUse(what: string, owner: Owner | undefined): UserError {
  // Seen from another container, the process id in the file is another process or none.
  const by =
    owner === undefined
      ? 'another process'
      : isRunning(owner)
        ? `process ${owner.pid}`
        : 'a process that cannot be seen from here, such as one in another container'
  return new UserError(
    `${what} is in use by ${by}`,
    'Stop that process first, or choose another --home.',
  )
}

/** Names this process in the file. The lock holds without: a full disk must not keep anybody from mending it. */
function writeOwner(descriptor: number): void {
  const text = JSON.stringify({ ...processId(process.pid), kernelLock: true })
  try {
    fs.writeSync(descriptor, text, 0)
    fs.ftruncateSync(descriptor, text.length)
  } catch (error) {
    if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error) ?? '')) throw error
  }
}

/**
 * Takes the lock `file` for this process. The kernel drops it when the process ends, however it ends. Throws UserError
 * naming the owner when another process holds it, and NoLockError where there are no locks. `what` completes "… is in use".
 */
export function takeLock(file: string, what: string): HeldLock {
  const descriptor = openLocked(file)
  if (descriptor === undefined) throw inUse(what, parseOwner(readText(file)))
  const before = readText(file)
  const owner = parseOwner(before)
  if (owner !== undefined && !owner.isKernelLock && isRunning(owner)) {
    fs.closeSync(descriptor)
    throw inUse(what, owner)
  }
  try {
    writeOwner(descriptor)
  } catch (error) {
    fs.closeSync(descriptor)
    throw error
  }
  let isHeld = true
  return {
    wasLeft: before !== '',
    descriptor,
    release() {
      if (!isHeld) return
      isHeld = false
      fs.ftruncateSync(descriptor)
      fs.closeSync(descriptor)
    },
  }
}

/** The live process that holds a lock, or undefined. It is found by its id, so only where that is visible. */
export function ownerOf(file: string): number | undefined {
  const owner = parseOwner(readText(file))
  return owner !== undefined && isRunning(owner) ? owner.pid : undefined
}
