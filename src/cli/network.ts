/** `assay network`: prepares a network of machines or containers of their own. */
import { Command } from 'commander'
import { networkCreateCommand } from './network/createCommand.ts'

/** The command. */
export function networkCommand(): Command {
  return new Command('network')
    .description('Prepare a network whose nodes run on machines or in containers of their own.')
    .addCommand(networkCreateCommand())
}
