/** Commands that work on the files of a home whose node does not run. */
import path from 'node:path'
import type { Command } from 'commander'
import { takeLock } from '../base/lock.ts'
import { homePaths, requireHome, type Home } from '../config/home.ts'

/** The home of `--home`. Throws UserError when it is none. */
export function homeOf(command: Command): Home {
  // Subcommands of `node` have the option twice: the parent's takes the value where it stands before them.
  const { home: folder } = command.optsWithGlobals<{ home: string }>()
  const home = homePaths(path.resolve(folder))
  requireHome(home)
  return home
}

/** Runs an action while no node can start. Throws UserError when one runs. */
export async function withStoppedNode<T>(home: Home, action: () => Promise<T>): Promise<T> {
  const release = takeLock(home.nodeLock, home.folder)
  try {
    return await action()
  } finally {
    release()
  }
}
