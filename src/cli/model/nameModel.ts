/** `assay model name`: further names of a model file. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { messageOf, UserError } from '../../base/errors.ts'
import { isModelName } from '../../base/modelName.ts'
import { homePaths } from '../../config/home.ts'
import { addHomeOption } from '../options.ts'
import { plain } from '../plain.ts'

type Flags = { readonly home: string; readonly remove?: true }

async function change(name: string, file: string | undefined, flags: Flags): Promise<void> {
  const { models } = homePaths(flags.home)
  const names = await import('../../inference/modelNames.ts')
  if ((file === undefined) !== (flags.remove === true))
    throw new UserError('pass a file, or --remove')
  if (file === undefined) {
    if (!(await names.removeModelName(models, name)))
      throw new UserError(`"${plain(name)}" is not in the table of names`)
    process.stdout.write(`${plain(name)} is no name any more\n`)
    return
  }
  if (!isModelName(name))
    throw new UserError(
      `"${plain(name)}" is not a valid model name`,
      'Use 1 to 256 characters without control characters, such as llama3:8b.',
    )
  if (!names.isModelFileName(file) || !fs.existsSync(path.join(models, file)))
    throw new UserError(
      `there is no file ${plain(file)} in the models folder`,
      'Add it first: assay model add.',
    )
  await names.addModelName(models, name, file)
  process.stdout.write(`${plain(name)} is ${file}\n`)
}

/** The command. */
export function nameModelCommand(): Command {
  return addHomeOption(new Command('name'))
    .description('Give a model file of the home folder one more name in jobs.')
    .argument('<name>', 'the name, such as llama3:8b')
    .argument('[file]', 'file in the models folder')
    .option('--remove', 'remove the name instead')
    .action(async (name: string, file: string | undefined, flags: Flags) => {
      try {
        await change(name, file, flags)
      } catch (error) {
        throw error instanceof UserError ? error : new UserError(messageOf(error))
      }
    })
}
