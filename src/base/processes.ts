/** Other processes on this machine, by process id: whether one still runs, what it is, and signals to it. */
import { execFile } from 'node:child_process'
import fs from 'node:fs'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { codeOf, UserError } from './errors.ts'

/** A process. Its id alone is not enough, since ids are reused. */
export type ProcessId = {
  readonly pid: number
  /** Start time in the kernel's count; '' without /proc. */
  readonly started: string
}

/**
 * The kernel's record of a process: its state letter (proc(5)) and its start; undefined if it has ended, or without
 * /proc.
 */
function statOf(
  pid: number,
): { readonly state: string | undefined; readonly started: string } | undefined {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return { state: fields[0], started: fields[19] ?? '' }
  } catch {
    return undefined
  }
}

/** The process that has this id now. */
export function processId(pid: number): ProcessId {
  return { pid, started: statOf(pid)?.started ?? '' }
}

/** Whether any process has this id, even another user's. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return codeOf(error) === 'EPERM'
  }
}

/** Whether it still runs. A process that has reused its id does not count, nor does a zombie. */
export function isRunning({ pid, started }: ProcessId): boolean {
  if (!isAlive(pid)) return false
  const stat = statOf(pid)
  if (stat === undefined) return started === ''
  return !'ZX'.includes(stat.state ?? 'Z') && (started === '' || stat.started === started)
}

/** Whether it is stopped by SIGSTOP; unknown without /proc. */
export function isStopped(pid: number): boolean {
  return statOf(pid)?.state === 'T'
}

/** Its program and arguments, separated and ended by spaces; '' if it has ended. */
export async function commandOf(pid: number): Promise<string> {
  if (process.platform === 'linux')
    return readFile(`/proc/${pid}/cmdline`, 'utf8').then(
      (text) => text.replaceAll('\0', ' '),
      () => '',
    )
  return promisify(execFile)('ps', ['-ww', '-o', 'args=', '-p', String(pid)]).then(
    ({ stdout }) => `${stdout.trim()} `,
    () => '',
  )
}

/**
 * Sends a signal. Returns false if the process has ended, which may happen at any moment. Throws UserError when it
 * belongs to another user.
 */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    process.kill(pid, signal)
    return true
  } catch (error) {
    switch (codeOf(error)) {
      case 'ESRCH':
        return false
      case 'EPERM':
        throw new UserError(
          `not allowed to send ${signal} to process ${pid}: it belongs to another user`,
          'Run this command as the user who started that process.',
        )
      default:
        throw error
    }
  }
}
