/** `assay model list`: the models of the home, and those of the catalogue. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { messageOf, UserError } from '../../base/errors.ts'
import { homePaths } from '../../config/home.ts'
import { CATALOGUE } from '../../models/catalogue.ts'
import { addHomeOption } from '../options.ts'
import { plain } from '../plain.ts'
import { columns } from '../project/columns.ts'
import { describeModel } from './describe.ts'

const MEGABYTE = 1_000_000

const sizeText = (bytes: number): string => `${(bytes / MEGABYTE).toFixed(1)} MB`

async function rowOf(called: string, file: string): Promise<string[]> {
  const name = plain(called)
  const size = sizeText(fs.statSync(file).size)
  try {
    const { architecture, root, sha256 } = await describeModel(file)
    return [name, size, architecture, root === undefined ? 'tee' : 'opml tee', sha256]
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return [name, size, '', '', error.message]
  }
}

type Flags = { readonly home: string; readonly all?: true }

async function list({ home, all }: Flags): Promise<void> {
  const { openModelFolder } = await import('../../inference/models.ts')
  const { readModelNames } = await import('../../inference/modelNames.ts')
  const { models } = homePaths(home)
  const names = await openModelFolder(models).list()
  const files = await readModelNames(models).catch((error: unknown) => {
    throw new UserError(messageOf(error))
  })
  const rows: string[][] = []
  for (const name of names) rows.push(await rowOf(name, path.join(models, files.get(name) ?? name)))
  process.stdout.write(columns(['model', 'size', 'architecture', 'jobs', 'sha256'], rows))
  const others = CATALOGUE.filter(({ file }) => !names.includes(file))
  if (others.length === 0) return
  if (all !== true) {
    process.stdout.write(`\n${others.length} more: assay model list --all\n`)
    return
  }
  const known = others.map(({ name, title, bytes, licence, context }) => [
    name,
    sizeText(bytes),
    licence,
    String(context),
    title,
  ])
  const table = columns(['assay model get', 'size', 'licence', 'context', 'model'], known)
  process.stdout.write(`\n${table}`)
}

/** The command. */
export function listModelsCommand(): Command {
  return addHomeOption(new Command('list'))
    .description('List the models of the home folder and the job types they support.')
    .option('--all', 'also those of the catalogue, which assay model get fetches')
    .action(list)
}
