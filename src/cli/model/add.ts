/** `assay model add`: puts a model file where operators find it. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { homePaths } from '../../config/home.ts'
import { addHomeOption } from '../options.ts'
import { createProgress, progressBar } from '../progress.ts'
import { describeModel, printDescription, requireSupported } from './describe.ts'
import { requireModelName } from './name.ts'

/** The last line of a command that added a model. */
export const SERVED_SOON = 'Running operators of this home folder serve it within seconds.\n'

const CHUNK = 8 * 1024 * 1024

export type AddFlags = { readonly home: string; readonly name?: string; readonly anyEngine?: true }

/** Copies into a file next to the target, then renames it: operators never see a partial model. */
async function copy(from: string, to: string): Promise<void> {
  const progress = createProgress()
  const { size } = fs.statSync(from)
  const partial = `${to}.partial`
  let done = 0
  try {
    const target = await fs.promises.open(partial, 'w', 0o600)
    try {
      for await (const chunk of fs.createReadStream(from, { highWaterMark: CHUNK })) {
        await target.write(chunk as Buffer)
        done += (chunk as Buffer).length
        progress.say(`Copying ${progressBar(done / size)}`)
      }
      await target.sync()
    } finally {
      await target.close()
    }
    fs.renameSync(partial, to)
  } finally {
    fs.rmSync(partial, { force: true })
    progress.end()
  }
}

/** Copies a file into the models folder, and prints what it is. Rejects with UserError. */
export async function addModel(file: string, { home, name, anyEngine }: AddFlags): Promise<void> {
  const { models } = homePaths(home)
  const called = name ?? path.basename(file)
  requireModelName(called)
  if (!fs.existsSync(file)) throw new UserError(`${file} does not exist`)
  const target = path.join(models, called)
  if (path.resolve(file) === path.resolve(target))
    throw new UserError(`${file} is already in the models folder`)
  const description = await describeModel(file)
  if (anyEngine !== true) requireSupported(description)
  fs.mkdirSync(models, { recursive: true, mode: 0o700 })
  if (fs.existsSync(target))
    throw new UserError(
      `a model named ${called} already exists`,
      'Choose another name: --name NAME.gguf.',
    )
  await copy(file, target)
  process.stdout.write(`${target}\n`)
  printDescription(description)
  process.stdout.write(SERVED_SOON)
}

/** The command. */
export function addModelCommand(): Command {
  return addHomeOption(new Command('add'))
    .description('Add a model file (GGUF) to the home folder.')
    .argument('<file>', 'a GGUF file')
    .option('--name <name>', 'name of the model in jobs (default: the file name)')
    .option('--any-engine', 'add it even if the engine for opml jobs cannot run it')
    .action(addModel)
}
