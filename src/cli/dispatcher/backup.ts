/** `assay dispatcher backup`: the jobs' database in one file, while dispatchers use it. */
import path from 'node:path'
import { Command } from 'commander'
import { VERSION } from '../../base/version.ts'
import { addHomeOption } from '../options.ts'
import { addDatabaseOption, withDatabaseUrl } from './database.ts'

/** The command. */
export function dispatcherBackupCommand(): Command {
  return addDatabaseOption(addHomeOption(new Command('backup')))
    .description(
      "Write the jobs' database to a file, as it is at one moment. The file holds prompts and results: its mode is 0600.",
    )
    .argument('<file>', 'file to write, which must not exist')
    .action(async (name: string, _options: unknown, command: Command) => {
      const file = path.resolve(name)
      const { writeDumpFile } = await import('../../store/sql/dumpFile.ts')
      const { dumpDatabase } = await import('../../store/sql/dump.ts')
      await withDatabaseUrl(command, (url) =>
        dumpDatabase(url, VERSION, (lines) => writeDumpFile(file, lines)),
      )
      process.stdout.write(
        `Written: ${file}\nSealed prompts open with dispatcher/prompt_key.hex of the home: keep it elsewhere.\n`,
      )
    })
}
