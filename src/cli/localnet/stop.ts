/** `assay localnet stop`: ends all nodes and their supervisor. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { ownerOf } from '../../base/lock.ts'
import { pathsOf } from './pathsOf.ts'
import { signalNode } from './processes.ts'
import { requirePlan } from './plan.ts'

const STOP_MS = 40_000

/** The command. */
export function localnetStopCommand(): Command {
  const command = new Command('stop').description('Stop all nodes. Their homes stay.')
  return command.action(async () => {
    const paths = pathsOf(command)
    const plan = requirePlan(paths)
    const pid = ownerOf(paths.lock)
    if (pid === undefined) throw new UserError('the network does not run')
    process.kill(pid, 'SIGTERM')
    // A paused node hears of the stop only when it goes on.
    for (const { name } of plan.nodes) {
      try {
        signalNode(paths.home(name), name, 'SIGCONT', 'both')
      } catch (error) {
        if (!(error instanceof UserError)) throw error
      }
    }
    for (let waited = 0; ownerOf(paths.lock) === pid; waited += 50) {
      if (waited > STOP_MS)
        throw new UserError(`process ${pid} does not stop`, `See ${paths.logs}.`)
      await sleep(50)
    }
  })
}
