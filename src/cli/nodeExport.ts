/** `assay node export`: a genesis.json with the state of a home's chain. */
import { Command } from 'commander'
import { createFile } from '../base/files.ts'
import { UserError } from '../base/errors.ts'
import { existsSync } from 'node:fs'
import { guarded } from './guarded.ts'
import { addHomeOption } from './options.ts'
import { homeOf } from './stoppedNode.ts'

/** The command. */
export function nodeExportCommand(): Command {
  return addHomeOption(new Command('export'))
    .description('Print the genesis.json of a new chain that starts from the state of this one.')
    .option('--chain-id <id>', 'chain id of the new chain (default: this one with the next epoch)')
    .option('--output <file>', 'write to this file, which must not exist')
    .action(async (options: { chainId?: string; output?: string }, command: Command) => {
      const { output } = options
      if (output !== undefined && existsSync(output))
        throw new UserError(`${output} already exists`, 'Choose another file name.')
      const { exportGenesis } = await import('../node/exportGenesis.ts')
      const home = homeOf(command)
      await guarded(home, async () => {
        const text = await exportGenesis(home, options.chainId)
        if (output === undefined) process.stdout.write(text)
        else createFile(output, text)
      })
    })
}
