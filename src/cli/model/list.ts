/** `assay model list`: the models of the home. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { homePaths } from '../../config/home.ts'
import { addHomeOption } from '../options.ts'
import { columns } from '../project/columns.ts'
import { describeModel } from './describe.ts'

const MEGABYTE = 1_000_000

async function list({ home }: { readonly home: string }): Promise<void> {
  const { openModelFolder } = await import('../../inference/models.ts')
  const { models } = homePaths(home)
  const rows: string[][] = []
  for (const name of await openModelFolder(models).list()) {
    const file = path.join(models, name)
    const size = `${(fs.statSync(file).size / MEGABYTE).toFixed(1)} MB`
    try {
      const { architecture, root, sha256 } = await describeModel(file)
      rows.push([name, size, architecture, root === undefined ? 'tee' : 'opml tee', sha256])
    } catch (error) {
      if (!(error instanceof Error)) throw error
      rows.push([name, size, '', '', error.message])
    }
  }
  process.stdout.write(columns(['model', 'size', 'architecture', 'jobs', 'sha256'], rows))
}

/** The command. */
export function listModelsCommand(): Command {
  return addHomeOption(new Command('list'))
    .description('List the models of the home folder and the job types they support.')
    .action(list)
}
