/** What the commands on the registry of models share. */
import { Command } from 'commander'
import { createLog } from '../../../base/log.ts'
import type { DispatcherSql } from '../../../jobs/dispatcher/tables.ts'
import { addHomeOption } from '../../options.ts'
import { addDatabaseOption, withDatabaseUrl } from '../database.ts'

/** A command on the database of a home, or on a given one, whether or not a dispatcher runs. */
export function registryModelCommand(
  name: string,
  work: (sql: DispatcherSql, command: Command) => Promise<void>,
): Command {
  const command = addDatabaseOption(addHomeOption(new Command(name)))
  return command.action(() =>
    withDatabaseUrl(command, async (url) => {
      const { openDispatcherSql } = await import('../../../jobs/dispatcher/dispatcher.ts')
      const { refusalOf } = await import('../../../store/sql/database.ts')
      const sql = await openDispatcherSql(url, createLog('model', 'warn'))
      try {
        await work(sql, command)
      } catch (error) {
        throw refusalOf(url, error) ?? error
      } finally {
        await sql.close()
      }
    }),
  )
}
