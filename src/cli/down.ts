/** `assay down`: stops what `assay up` runs in a home. */
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Command } from 'commander'
import { UserError } from '../base/errors.ts'
import { ownerOf } from '../base/lock.ts'
import { isRunning, processId, sendSignal } from '../base/processes.ts'
import { homePaths } from '../config/home.ts'
import { addHomeOption } from './options.ts'

/** Longer than `assay up` gives itself. */
const STOP_MS = 130_000
const LOOK_MS = 50

/** The command. Where nothing runs there is nothing to do. */
export function downCommand(): Command {
  return addHomeOption(new Command('down'))
    .description('Stop what assay up runs in a home folder. The next start resumes from there.')
    .action(async ({ home: folder }: { readonly home: string }) => {
      const home = homePaths(path.resolve(folder))
      if (!fs.existsSync(home.folder))
        throw new UserError(`there is no home folder ${home.folder}`, 'Correct --home.')
      const pid = ownerOf(home.upLock)
      if (pid === undefined) {
        process.stdout.write(`Nothing is running in ${home.folder}.\n`)
        return
      }
      const found = processId(pid)
      sendSignal(pid, 'SIGTERM')
      for (let waited = 0; isRunning(found); waited += LOOK_MS) {
        if (waited > STOP_MS)
          throw new UserError(`process ${pid} did not stop`, `See ${home.logs}.`)
        await sleep(LOOK_MS)
      }
      process.stdout.write('Everything is stopped. The next start resumes from here.\n')
    })
}
