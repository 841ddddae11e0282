/** `assay localnet status`: heights, rounds and peers. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { pathsOf } from './pathsOf.ts'
import { requirePlan } from './plan.ts'
import { networkStatus, statusTable } from './status.ts'

/** The command. */
export function localnetStatusCommand(): Command {
  const command = new Command('status')
    .description('Show heights, rounds and peers of all nodes.')
    .option('--json', 'as JSON: {"nodes": [{name, height, catchingUp, peers, comet, rpc, …}]}')
    .option('--watch', 'refresh every second')
  return command.action(async () => {
    const options = command.opts<{ json?: boolean; watch?: boolean }>()
    const paths = pathsOf(command)
    do {
      const nodes = await networkStatus(paths, requirePlan(paths))
      process.stdout.write(
        options.json === true ? `${JSON.stringify({ nodes })}\n` : statusTable(nodes),
      )
      if (options.watch === true) await sleep(1000)
    } while (options.watch === true)
  })
}
