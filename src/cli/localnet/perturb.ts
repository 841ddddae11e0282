/** `assay localnet kill`, `pause`, `resume` and `restart`: faults that a network has to survive. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { duration } from '../../config/types.ts'
import { readOption } from '../options.ts'
import { pathsOf } from './pathsOf.ts'
import { nodeOf, requirePlan } from './plan.ts'
import { signalNode } from './processes.ts'

function perturbCommand(
  name: string,
  description: string,
  act: (
    signal: (...args: [Parameters<typeof signalNode>[1], 'node' | 'both']) => void,
    command: Command,
  ) => Promise<void>,
): Command {
  const command = new Command(name)
    .description(description)
    .argument('<node...>', 'numbers or names')
  return command.action(async (names: readonly string[]) => {
    const paths = pathsOf(command)
    const plan = requirePlan(paths)
    const nodes = names.map((each) => nodeOf(plan, each))
    await act((signal, whom) => {
      for (const { name } of nodes)
        if (!signalNode(paths.home(name), signal, whom))
          throw new UserError(
            `${name} is not running`,
            'Start the network with: assay localnet start',
          )
    }, command)
  })
}

/** The commands. */
export function localnetPerturbCommands(): readonly Command[] {
  const pause = perturbCommand(
    'pause',
    'Suspend nodes (SIGSTOP), until resumed or for a given time.',
    async (signal, command) => {
      const { for: time } = command.opts<{ for?: string }>()
      signal('SIGSTOP', 'both')
      if (time === undefined) return
      await sleep(readOption('--for', duration(1, 3_600_000), time))
      signal('SIGCONT', 'both')
    },
  ).option('--for <duration>', 'then resume them')
  return [
    // Its CometBFT exits by itself, as it would if its application crashed.
    perturbCommand('kill', 'Kill nodes (SIGKILL); they are restarted.', async (signal) =>
      signal('SIGKILL', 'both'),
    ),
    pause,
    perturbCommand('resume', 'Resume paused nodes.', async (signal) => signal('SIGCONT', 'both')),
    perturbCommand('restart', 'Shut nodes down cleanly; they are restarted.', async (signal) =>
      signal('SIGTERM', 'node'),
    ),
  ]
}
