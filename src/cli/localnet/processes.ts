/** The two processes of a node, found by the files that they leave in its home, and what is done to them. */
import fs from 'node:fs'
import { UserError } from '../../base/errors.ts'
import type { Home } from '../../config/home.ts'

export type NodeProcess = {
  readonly pid: number
  /** Whether it was stopped by SIGSTOP. */
  readonly isStopped: boolean
}

function pidIn(file: string): number | undefined {
  try {
    const value: unknown = JSON.parse(fs.readFileSync(file, 'utf8'))
    const pid =
      typeof value === 'object' && value !== null && 'pid' in value ? Number(value.pid) : value
    return typeof pid === 'number' && pid > 1 ? pid : undefined
  } catch {
    return undefined
  }
}

/** One letter of proc(5): R running, S sleeping, T stopped, Z ended. */
function stateOf(pid: number): string {
  try {
    const stat = fs.readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat[stat.lastIndexOf(')') + 2] ?? 'Z'
  } catch {
    return isThere(pid) ? 'S' : 'Z'
  }
}

// Where there is no /proc, whether it is stopped cannot be told.
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

/** The node itself and its CometBFT, as far as they run. */
export function processesOf(home: Home): readonly NodeProcess[] {
  return [pidIn(home.nodeLock), pidIn(home.cometbftPid)]
    .filter((pid) => pid !== undefined)
    .map((pid) => ({ pid, state: stateOf(pid) }))
    .filter(({ state }) => state !== 'Z' && state !== 'X')
    .map(({ pid, state }) => ({ pid, isStopped: state === 'T' }))
}

/** Sends a signal to a node: to both of its processes, or to the first alone. Throws UserError when it does not run. */
export function signalNode(
  home: Home,
  name: string,
  signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT',
  whom: 'node' | 'both',
): void {
  const processes = processesOf(home)
  if (processes.length === 0)
    throw new UserError(`${name} does not run`, 'Start the network with: assay localnet start')
  for (const { pid } of whom === 'both' ? processes : processes.slice(0, 1))
    process.kill(pid, signal)
}
