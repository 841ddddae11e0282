/** `assay node`: the chain node alone. */
import { Command } from 'commander'
import { dispatcherKeys } from '../config/dispatcher.ts'
import { homePaths, requireHome } from '../config/home.ts'
import { loadConfig } from '../config/load.ts'
import { nodeKeys } from '../config/node.ts'
import { nodeBackupCommand } from './nodeBackup.ts'
import { nodeCheckCommand } from './nodeCheck.ts'
import { nodeExportCommand } from './nodeExport.ts'
import { nodeNewKeyCommand } from './nodeNewKey.ts'
import { nodeProveKeyCommand } from './nodeProveKey.ts'
import { nodeRestoreCommand } from './nodeRestore.ts'
import { nodeRollbackCommand } from './nodeRollback.ts'
import { nodeSignerCommand } from './nodeSigner.ts'
import { openExplorer } from './explorer.ts'
import { lockHome } from './homeLock.ts'
import { addHomeOption, addKeyOptions, flagsOf } from './options.ts'
import { runService } from './service.ts'

/** The command. */
export function nodeCommand(): Command {
  const command = new Command('node').description(
    'Run the chain node of a home folder: Ethereum JSON-RPC, consensus engine and consensus RPC.',
  )
  addKeyOptions(addHomeOption(command), nodeKeys)
  for (const child of [
    nodeCheckCommand(),
    nodeExportCommand(),
    nodeNewKeyCommand(),
    nodeProveKeyCommand(),
    nodeRollbackCommand(),
    nodeSignerCommand(),
    nodeBackupCommand(),
    nodeRestoreCommand(),
  ])
    command.addCommand(child)
  return command.action(async () => {
    const home = homePaths(command.opts<{ home: string }>().home)
    const config = loadConfig(nodeKeys, {
      file: home.configFile,
      environment: process.env,
      flags: flagsOf(command, nodeKeys),
      otherTables: [dispatcherKeys],
    })
    requireHome(home)
    // Loaded lazily, so that other commands start without it.
    const { startNode } = await import('../node/node.ts')
    const lock = lockHome(home, config)
    try {
      await runService('node', config['log.level'], async ({ signal, log, ready, fatal }) => {
        if (lock.warning !== undefined) log.warn(lock.warning)
        const explorer = await openExplorer(config, log)
        const node = await startNode({
          home,
          config: { ...config, ...explorer.allow(config) },
          log,
          signal,
          fatal,
          isAfterCrash: lock.wasLeft,
          isLocked: lock.isLocked,
        })
        explorer.announce({
          ...node.addresses,
          dispatcher: config['explorer.dispatcher'] || null,
        })
        ready(node.addresses)
        return async () => {
          await explorer.close()
          await node.close()
          lock.release()
        }
      })
    } catch (error) {
      // If left behind, it would tell the next start that this one was killed.
      lock.release()
      throw error
    }
  })
}
