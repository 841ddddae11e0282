/** The two processes of a node, found by the files that they write in its home, and signals to them. */
import { ownerOf } from '../../base/lock.ts'
import { isStopped, sendSignal } from '../../base/processes.ts'
import type { Home } from '../../config/home.ts'

export type NodeProcess = {
  readonly pid: number
  /** Whether it was stopped by SIGSTOP. */
  readonly isStopped: boolean
}

/** The node itself and its CometBFT, as far as they are running. */
export function processesOf(home: Home): readonly NodeProcess[] {
  return [ownerOf(home.nodeLock), ownerOf(home.cometbftPid)]
    .filter((pid) => pid !== undefined)
    .map((pid) => ({ pid, isStopped: isStopped(pid) }))
}

/**
 * Sends a signal to a node: to both of its processes, or only to the first. Returns whether one of them had not ended
 * yet. Throws UserError when they belong to another user.
 */
export function signalNode(
  home: Home,
  signal: 'SIGKILL' | 'SIGTERM' | 'SIGSTOP' | 'SIGCONT',
  whom: 'node' | 'both',
): boolean {
  const processes = processesOf(home)
  return (whom === 'both' ? processes : processes.slice(0, 1))
    .map(({ pid }) => sendSignal(pid, signal))
    .includes(true)
}
