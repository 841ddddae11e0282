/** `assay localnet`: a network of CometBFT nodes on this machine, all on the loopback interface. */
import os from 'node:os'
import path from 'node:path'
import { Command } from 'commander'
import { localnetAddCommand } from './localnet/add.ts'
import { localnetLogsCommand } from './localnet/logs.ts'
import { localnetPerturbCommands } from './localnet/perturb.ts'
import { localnetStartCommand } from './localnet/start.ts'
import { localnetStatusCommand } from './localnet/statusCommand.ts'
import { localnetStopCommand } from './localnet/stop.ts'

/** The command. */
export function localnetCommand(): Command {
  const command = new Command('localnet')
    .description('Run a network of CometBFT validators and full nodes on this machine.')
    .option(
      '--home <folder>',
      'folder of the network (or ASSAY_LOCALNET)',
      process.env['ASSAY_LOCALNET'] ?? path.join(os.homedir(), '.assay-localnet'),
    )
  const children = [
    localnetStartCommand(),
    localnetStatusCommand(),
    localnetLogsCommand(),
    localnetAddCommand(),
    ...localnetPerturbCommands(),
    localnetStopCommand(),
  ]
  for (const child of children) command.addCommand(child, { isDefault: child.name() === 'start' })
  return command
}
