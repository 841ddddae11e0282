/** `assay localnet stop`: stops all nodes and their supervisor. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { ownerOf } from '../../base/lock.ts'
import { sendSignal } from '../../base/processes.ts'
import { pathsOf } from './pathsOf.ts'
import { signalNode } from './processes.ts'
import { requirePlan } from './plan.ts'

const STOP_MS = 40_000

/** The command. */
export function localnetStopCommand(): Command {
  const command = new Command('stop').description('Stop all nodes. Their home folders are kept.')
  return command.action(async () => {
    const paths = pathsOf(command)
    const plan = requirePlan(paths)
    const pid = ownerOf(paths.lock)
    if (pid === undefined) throw new UserError('the network is not running')
    sendSignal(pid, 'SIGTERM')
    // A paused node receives the stop signal only after it is resumed.
    for (const { name } of plan.nodes) signalNode(paths.home(name), 'SIGCONT', 'both')
    for (let waited = 0; ownerOf(paths.lock) === pid; waited += 50) {
      if (waited > STOP_MS) throw new UserError(`process ${pid} did not stop`, `See ${paths.logs}.`)
      await sleep(50)
    }
  })
}
