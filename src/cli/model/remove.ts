/** `assay model rm`: removes a model from the home. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { homePaths } from '../../config/home.ts'
import { findInCatalogue } from '../../models/catalogue.ts'
import { addHomeOption } from '../options.ts'
import { requireModelName } from './name.ts'

function remove(name: string, { home }: { readonly home: string }): void {
  const file = findInCatalogue(name)?.file ?? name
  requireModelName(file)
  const { models } = homePaths(home)
  const target = path.join(models, file)
  if (!fs.existsSync(target))
    throw new UserError(`there is no ${file} in ${models}`, 'assay model list shows those there.')
  fs.rmSync(target)
  process.stdout.write(`Removed ${target}.\n`)
}

/** The command. */
export function removeModelCommand(): Command {
  return addHomeOption(new Command('rm'))
    .description('Remove a model from the home folder.')
    .argument('<name>', 'name in jobs, or of the catalogue')
    .action(remove)
}
