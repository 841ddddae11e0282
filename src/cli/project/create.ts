/** `assay project create`: a project that may submit jobs, with its API token. */
import type { Command } from 'commander'
import { databaseCommand } from './database.ts'

/** The command. */
export function projectCreateCommand(): Command {
  return databaseCommand('create', async (sql, command) => {
    const { createProject } = await import('../../jobs/dispatcher/access/projects.ts')
    const [name = ''] = command.args
    const { id } = command.opts<{ id?: string }>()
    const { project, token } = await createProject(sql, { name, ...(id !== undefined && { id }) })
    process.stdout.write(`project ${project}\ntoken   ${token}\n`)
  })
    .description('Create a project and print its id and API token. The token is shown only once.')
    .argument('<name>', 'name of the project')
    .option('--id <id>', 'id of the project (default: generated)')
}
