/** `assay status`: a running system on one screen. */
import fs from 'node:fs'
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { homePaths } from '../config/home.ts'
import { addHomeOption } from './options.ts'
import { addressesOf } from './status/addresses.ts'
import { collectStatus } from './status/collect.ts'
import { formatStatus } from './status/screen.ts'

/** The command. It exits with 1 when the node does not answer. */
export function statusCommand(): Command {
  return addHomeOption(new Command('status'))
    .description('Show the height, pool, jobs, operators and disk usage of a running system.')
    .option('--json', 'print JSON')
    .action(async ({ home: folder, json }: { readonly home: string; readonly json?: boolean }) => {
      if (!fs.existsSync(folder))
        throw new UserError(
          `there is no home folder ${folder}`,
          'Run assay up once to create one, or correct --home.',
        )
      const home = homePaths(folder)
      const status = await collectStatus(home, addressesOf(home))
      const options = { home: folder, now: Date.now() / 1000, colors: process.stdout.isTTY }
      const text =
        json === true ? `${JSON.stringify(status, undefined, 2)}\n` : formatStatus(status, options)
      process.stdout.write(text)
      if (status.chain === undefined) process.exitCode = 1
    })
}
