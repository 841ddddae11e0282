/** Finds the processes of a running system, to kill some of them. */
import fs from 'node:fs'

/** The processes that a process started, by what their command line contains; Linux only. */
export function childrenOf(pid: number): ReadonlyMap<number, string> {
  const text = fs.readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  const pids = text === '' ? [] : text.split(' ').map(Number)
  return new Map(pids.map((child) => [child, commandOf(child)]))
}

/** A process whose command line contains all of these strings; undefined if there is none; Linux only. */
export function findProcess(parts: readonly string[]): number | undefined {
  const pids = fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).find((pid) => {
    const command = commandOf(pid)
    return parts.every((part) => command.includes(part))
  })
}

/** Program and arguments, separated by spaces; '' for a process that is gone. */
function commandOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Whether a process runs; one that ended and was not waited for does not. */
export function isAlive(pid: number): boolean {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2] !== 'Z'
  } catch {
    return false
  }
}
