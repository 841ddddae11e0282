/** `assay localnet kill`, `pause`, `resume` and `restart`: what a network has to survive. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { duration } from '../../config/types.ts'
import { readOption } from '../options.ts'
import { pathsOf } from './pathsOf.ts'
import { nodeOf, requirePlan } from './plan.ts'
import { signalNode } from './processes.ts'

function perturbCommand(
  name: string,
  description: string,
  act: (
    signal: (...args: [Parameters<typeof signalNode>[2], 'node' | 'both']) => void,
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
      for (const node of nodes) signalNode(paths.home(node.name), node.name, signal, whom)
    }, command)
  })
}

/** The commands. */
export function localnetPerturbCommands(): readonly Command[] {
  const pause = perturbCommand(
    'pause',
    'Stop nodes where they stand (SIGSTOP), until resume or for a time.',
    async (signal, command) => {
      const { for: time } = command.opts<{ for?: string }>()
      signal('SIGSTOP', 'both')
      if (time === undefined) return
      await sleep(readOption('--for', duration(1, 3_600_000), time))
      signal('SIGCONT', 'both')
    },
  ).option('--for <duration>', 'then let them go on')
  return [
    // Its CometBFT ends by itself, as it would when the machine loses its application.
    perturbCommand('kill', 'Kill nodes (SIGKILL); they are started again.', async (signal) =>
      signal('SIGKILL', 'both'),
    ),
    pause,
    perturbCommand('resume', 'Let paused nodes go on.', async (signal) =>
      signal('SIGCONT', 'both'),
    ),
    perturbCommand(
      'restart',
      'Stop nodes in the orderly way; they are started again.',
      async (signal) => signal('SIGTERM', 'node'),
    ),
  ]
}
