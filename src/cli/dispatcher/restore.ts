/** `assay dispatcher restore`: a new database from a file of `assay dispatcher backup`. */
import path from 'node:path'
import { Command } from 'commander'
import { addHomeOption } from '../options.ts'
import { addDatabaseOption, withDatabaseUrl } from './database.ts'

/** The command. */
export function dispatcherRestoreCommand(): Command {
  return addDatabaseOption(addHomeOption(new Command('restore')))
    .description(
      "Load a backup of the jobs' database into a new, empty one: that of a new home, or --dispatcher.pg_db_url.",
    )
    .argument('<file>', 'file of assay dispatcher backup')
    .action(async (name: string, _options: unknown, command: Command) => {
      const file = path.resolve(name)
      const { readDumpFile } = await import('../../store/sql/dumpFile.ts')
      const { loadDatabase } = await import('../../store/sql/load.ts')
      const { migrations } = await import('../../jobs/dispatcher/migrations.ts')
      const rows = await withDatabaseUrl(command, (url) =>
        loadDatabase(url, readDumpFile(file), migrations),
      )
      process.stdout.write(`Restored ${rows} rows.\n`)
    })
}
