/** Commands that work on the files of a home whose node is not running. */
import path from 'node:path'
import type { Command } from 'commander'
import { takeLock } from '../base/lock.ts'
import { homePaths, requireHome, type Home } from '../config/home.ts'
import { upgradeStore } from '../store/upgrade.ts'
import { createProgress, progressBar } from './progress.ts'

/** The home at `--home`. Throws UserError when it is not a home. */
export function homeOf(command: Command): Home {
  // Subcommands of `node` have the option twice: the parent's gets the value if it precedes them.
  const { home: folder } = command.optsWithGlobals<{ home: string }>()
  const home = homePaths(path.resolve(folder))
  requireHome(home)
  return home
}

/** Runs an action while no node can start, on a store of this version. Throws UserError if one is running. */
export async function withStoppedNode<T>(home: Home, action: () => Promise<T>): Promise<T> {
  const lock = takeLock(home.nodeLock, home.folder)
  try {
    const progress = createProgress()
    await upgradeStore(home.chainStore, {
      onProgress: (done) => progress.say(`Upgrading the store ${progressBar(done)}`),
    }).finally(() => progress.end())
    return await action()
  } finally {
    lock.release()
  }
}
