/** `assay model add`: puts a model file where operators find it. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { isModelName } from '../../base/modelName.ts'
import { homePaths } from '../../config/home.ts'
import { addModelName, isModelFileName } from '../../inference/modelNames.ts'
import { addHomeOption } from '../options.ts'
import { plain } from '../plain.ts'
import { createProgress, progressBar } from '../progress.ts'
import { describeModel, printDescription, requireSupported } from './describe.ts'

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

/**
 * The file that a model gets, and its name in jobs: a name that is no file name stands in the folder's table. Throws UserError.
 */
export function placeFor(
  file: string,
  name: string | undefined,
): { readonly fileName: string; readonly called: string } {
  const own = path.basename(file)
  const called = name ?? own
  if (isFileName(called)) return { fileName: called, called }
  if (name === undefined || !isModelName(name))
    throw new UserError(
      `"${plain(called)}" is not a valid model name`,
      'Pass --name: 1 to 256 characters without control characters, such as llama3:8b or NAME.gguf.',
    )
  if (isFileName(own)) return { fileName: own, called: name }
  throw new UserError(
    `"${plain(own)}" cannot be the name of a file in the models folder`,
    'Rename it first: letters, digits, dots, dashes and underscores, and the extension .gguf.',
  )
}

function isFileName(name: string): boolean {
  return isModelFileName(name) && name.endsWith('.gguf')
}

/** Copies a file into the models folder, and prints what it is. Rejects with UserError. */
export async function addModel(file: string, { home, name, anyEngine }: AddFlags): Promise<void> {
  const { models } = homePaths(home)
  const { fileName, called } = placeFor(file, name)
  if (!fs.existsSync(file)) throw new UserError(`${file} does not exist`)
  const target = path.join(models, fileName)
  if (path.resolve(file) === path.resolve(target))
    throw new UserError(
      `${file} is already in the models folder`,
      'Give it another name: assay model name.',
    )
  const description = await describeModel(file)
  if (anyEngine !== true) requireSupported(description)
  fs.mkdirSync(models, { recursive: true, mode: 0o700 })
  if (fs.existsSync(target))
    throw new UserError(
      `a model named ${fileName} already exists`,
      'Choose another name: --name NAME.gguf.',
    )
  await copy(file, target)
  if (called !== fileName) await addModelName(models, called, fileName)
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
