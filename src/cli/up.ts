/** `assay up`: the whole system of one home. */
import fs from 'node:fs'
import path from 'node:path'
import { Command, Option } from 'commander'
import { takeLock } from '../base/lock.ts'
import { dispatcherKeys } from '../config/dispatcher.ts'
import { homePaths } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import { CHAIN_HARDFORKS, type Hardfork } from '../evm/rules.ts'
import { checkDevelopmentFork } from './developmentFork.ts'
import { addHomeOption, addKeyOptions, flagsOf } from './options.ts'
import { runService } from './service.ts'

/** Each process gets its own time limit, one after the other. */
const HARD_STOP_MS = 120_000

/** The command. */
export function upCommand(): Command {
  const command = new Command('up').description(
    'Run everything: chain node, PostgreSQL, dispatcher, an opml and a tee operator with its worker.',
  )
  addHomeOption(command).option('--detach', 'run it in the background; return once it is ready')
  addKeyOptions(command, nodeKeys, dispatcherKeys)
  command.addOption(
    new Option(
      '--hardfork <name>',
      'with --dev: fork of a new chain, by default the newest',
    ).choices(CHAIN_HARDFORKS),
  )
  return command.action(async () => {
    const home = homePaths(path.resolve(command.opts<{ home: string }>().home))
    const flags = flagsOf(command, nodeKeys, dispatcherKeys)
    const sources = { file: home.configFile, environment: process.env, flags }
    const config = loadConfig({ ...nodeKeys, ...dispatcherKeys }, sources)
    const { hardfork } = command.opts<{ readonly hardfork?: Hardfork }>()
    checkDevelopmentFork(home, hardfork, config['dev.enable'])
    if (command.opts<{ detach?: boolean }>().detach === true) {
      const { upInBackground } = await import('./detach.ts')
      const own = process.argv.slice(2).filter((argument) => argument !== '--detach')
      process.exitCode = await upInBackground(home, own)
      return
    }
    const { startSystem } = await import('./system.ts')
    fs.mkdirSync(home.folder, { recursive: true, mode: 0o700 })
    const { release } = takeLock(home.upLock, home.folder)
    try {
      // The supervisor's own log would disturb the banner; what matters is in the logs of its processes.
      await runService(
        'up',
        process.stderr.isTTY ? 'fatal' : 'warn',
        (service) => startSystem(home, flags, config, service, release, hardfork),
        HARD_STOP_MS,
      )
    } finally {
      release()
    }
  })
}
