/** `assay model rm`: removes a model from the home. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { messageOf, UserError } from '../../base/errors.ts'
import { homePaths } from '../../config/home.ts'
import { InferenceError } from '../../inference/errors.ts'
import { readModelNames, removeModelName } from '../../inference/modelNames.ts'
import { findInCatalogue } from '../../models/catalogue.ts'
import { addHomeOption } from '../options.ts'
import { requireModelName } from './name.ts'

async function remove(name: string, { home }: { readonly home: string }): Promise<void> {
  const { models } = homePaths(home)
  const names = await readModelNames(models)
  const file = names.get(name) ?? findInCatalogue(name)?.file ?? name
  requireModelName(file)
  const target = path.join(models, file)
  if (!fs.existsSync(target))
    throw new UserError(`there is no ${file} in ${models}`, 'assay model list shows those there.')
  for (const [other, of] of names) if (of === file) await removeModelName(models, other)
  fs.rmSync(target)
  process.stdout.write(`Removed ${target}.\n`)
}

/** The command. */
export function removeModelCommand(): Command {
  return addHomeOption(new Command('rm'))
    .description('Remove a model from the home folder, with all its names.')
    .argument('<name>', 'name in jobs, or of the catalogue')
    .action(async (name: string, flags: { readonly home: string }) => {
      try {
        await remove(name, flags)
      } catch (error) {
        throw error instanceof InferenceError ? new UserError(messageOf(error)) : error
      }
    })
}
