/** `assay project create`: a project that may submit jobs, with its API token. */
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { createLog } from '../base/log.ts'
import { dispatcherKeys } from '../config/dispatcher.ts'
import { homePaths } from '../config/home.ts'
import { loadDispatcherConfig } from './dispatcher.ts'
import { addHomeOption, addKeyOptions } from './options.ts'
import { readUpFile } from './upFile.ts'

/** The command. */
export function projectCommand(): Command {
  const create = addHomeOption(new Command('create'))
    .description('Create a project and print its id and API token. The token is shown only now.')
    .argument('<name>', 'what the project is called')
    .option('--id <id>', 'id of the project; made up when absent')
  addKeyOptions(create, { 'dispatcher.pg_db_url': dispatcherKeys['dispatcher.pg_db_url'] })
  create.action(async (name: string, options: { home: string; id?: string }) => {
    const home = homePaths(options.home)
    const config = loadDispatcherConfig(create, home)
    const running = readUpFile(home.upFile)
    const databaseUrl = config['dispatcher.pg_db_url'] || running?.database
    if (databaseUrl === undefined)
      throw new UserError(
        `no assay up runs on ${home.folder}`,
        'Start it first, or name the database of a dispatcher: --dispatcher.pg_db_url postgres://…',
      )
    const { openDispatcherSql } = await import('../verify/dispatcher/dispatcher.ts')
    const { createProject } = await import('../verify/dispatcher/projects.ts')
    const sql = await openDispatcherSql(databaseUrl, createLog('project', 'warn'))
    try {
      const { project, token } = await createProject(sql, {
        name,
        ...(options.id !== undefined && { id: options.id }),
      })
      process.stdout.write(`project ${project}\ntoken   ${token}\n`)
    } finally {
      await sql.close()
    }
  })
  return new Command('project').description('Projects that submit jobs.').addCommand(create)
}
