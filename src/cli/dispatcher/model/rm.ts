/** `assay dispatcher model rm`: a name that may be any file again. */
import type { Command } from 'commander'
import { UserError } from '../../../base/errors.ts'
import { plain } from '../../plain.ts'
import { registryModelCommand } from './registryCommand.ts'

/** The command. */
export function removeRegisteredCommand(): Command {
  return registryModelCommand('rm', async (sql, command) => {
    const { removeModel } = await import('../../../jobs/dispatcher/identities/register.ts')
    const [name = ''] = command.args
    if (!(await removeModel(sql, name)))
      throw new UserError(`"${plain(name)}" is not registered`, 'See assay dispatcher model list.')
    process.stdout.write(`${plain(name)} is not registered any more\n`)
  })
    .description('Remove a name from the registry: operators may serve any file under it.')
    .argument('<name>', 'name of the model')
}
