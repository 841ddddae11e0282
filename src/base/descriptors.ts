/**
 * Open files of this process and their limit. Connections may take all but a share of them (D91): the rest is for the
 * store, the sign state and other files of our own.
 */
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import { codeOf } from './errors.ts'

/** Descriptors for everything but accepted connections: threads, the store, logs, databases, outgoing requests. */
const OWN = 128

/** Connections that are allowed however low the limit is. */
const MIN_CONNECTIONS = 16

/** The usual limit, where it cannot be read. */
const USUAL_LIMIT = 1024

/** Descriptors that a thread keeps closed for the moment when there is no other left. */
const RESERVE = 4

function readLimit(): number {
  try {
    const text =
      process.platform === 'linux'
        ? (/^Max open files\s+(\w+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1] ?? '')
        : execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()
    return text === 'unlimited' ? Infinity : Number(text) || USUAL_LIMIT
  } catch {
    return USUAL_LIMIT
  }
}

let limit: number | undefined

/** How many files the process may have open. Node raises the soft limit to the hard one when it starts. */
export function descriptorLimit(): number {
  return (limit ??= readLimit())
}

/** How many connections all servers of the process may accept together. */
export function connectionLimit(): number {
  return Math.max(MIN_CONNECTIONS, descriptorLimit() - OWN)
}

const reserve: number[] = []

/** Takes the reserve of this thread, if it has none. */
export function holdReserve(): void {
  try {
    while (reserve.length < RESERVE) reserve.push(fs.openSync('/dev/null', 'r'))
  } catch {
    // Fewer, then; what was taken still helps.
  }
}

/** Runs `action`, which opens files; once more with the reserve released when there was no descriptor left. */
export function withReserve<T>(action: () => T): T {
  try {
    return action()
  } catch (error) {
    if (!['EMFILE', 'ENFILE'].includes(codeOf(error) ?? '') || reserve.length === 0) throw error
  }
  for (const handle of reserve.splice(0)) fs.closeSync(handle)
  try {
    return action()
  } finally {
    holdReserve()
  }
}
