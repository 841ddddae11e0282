/** `assay localnet add`: one more full node, which catches up from the others. */
import { Command } from 'commander'
import { integer } from '../../config/types.ts'
import { readOption } from '../options.ts'
import { pathsOf } from './pathsOf.ts'
import { requirePlan } from './plan.ts'
import { ownerOf } from '../../base/lock.ts'

/** The command. */
export function localnetAddCommand(): Command {
  const command = new Command('add')
    .description('Add a full node, which catches up by block sync.')
    .option('--first-port <port>', 'as at the start of the network', '26600')
  return command.action(async () => {
    const { firstPort } = command.opts<{ firstPort: string }>()
    const paths = pathsOf(command)
    const plan = requirePlan(paths)
    const { addFullNode } = await import('./create.ts')
    const first = readOption('--first-port', integer(0, 64_000), firstPort)
    const node = await addFullNode(paths, plan, first)
    const supervisor = ownerOf(paths.lock)
    if (supervisor !== undefined) process.kill(supervisor, 'SIGHUP')
    process.stdout.write(`${node.name}  http://127.0.0.1:${node.ports.rpc}\n`)
  })
}
