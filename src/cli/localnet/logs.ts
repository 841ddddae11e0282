/** `assay localnet logs`: the log of a node, with that of its CometBFT. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { Command } from 'commander'
import { pathsOf } from './pathsOf.ts'
import { nodeOf, requirePlan } from './plan.ts'

/** The command. */
export function localnetLogsCommand(): Command {
  const command = new Command('logs')
    .description("Print the last lines of a node's log.")
    .argument('<node>', 'number or name')
    .option('--follow', 'keep printing new lines')
    .option('--lines <number>', 'number of lines', '50')
  return command.action(async (name: string) => {
    const options = command.opts<{ follow?: boolean; lines: string }>()
    const paths = pathsOf(command)
    const file = path.join(paths.logs, `${nodeOf(requirePlan(paths), name).name}.log`)
    const follow = options.follow === true ? ['-F'] : []
    const tail = spawn('tail', ['-n', options.lines, ...follow, file], { stdio: 'inherit' })
    await once(tail, 'exit')
  })
}
