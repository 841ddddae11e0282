/** Commands that work on the dispatcher's database. */
import { Command } from 'commander'
import { UserError } from '../../base/errors.ts'
import { createLog } from '../../base/log.ts'
import { dispatcherKeys } from '../../config/dispatcher.ts'
import { homePaths } from '../../config/home.ts'
import type { DispatcherSql } from '../../jobs/dispatcher/tables.ts'
import { loadDispatcherConfig } from '../dispatcher.ts'
import { addHomeOption, addKeyOptions } from '../options.ts'
import { readUpFile } from '../upFile.ts'

/** A command on the database of a running `assay up`, or on a given one. */
export function databaseCommand(
  name: string,
  work: (sql: DispatcherSql, command: Command) => Promise<void>,
): Command {
  const command = addHomeOption(new Command(name))
  addKeyOptions(command, { 'dispatcher.pg_db_url': dispatcherKeys['dispatcher.pg_db_url'] })
  return command.action(async () => {
    const home = homePaths(command.opts<{ home: string }>().home)
    const config = loadDispatcherConfig(command, home)
    const databaseUrl = config['dispatcher.pg_db_url'] || readUpFile(home.upFile)?.database
    if (databaseUrl === undefined)
      throw new UserError(
        `assay up is not running on ${home.folder}`,
        'Start it first, or pass the database of a dispatcher: --dispatcher.pg_db_url postgres://…',
      )
    const { openDispatcherSql } = await import('../../jobs/dispatcher/dispatcher.ts')
    const { refusalOf } = await import('../../store/sql/database.ts')
    const sql = await openDispatcherSql(databaseUrl, createLog('project', 'warn'))
    try {
      await work(sql, command)
    } catch (error) {
      throw refusalOf(databaseUrl, error) ?? error
    } finally {
      await sql.close()
    }
  })
}
