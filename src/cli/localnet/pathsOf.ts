/** The folder that a command of `assay localnet` is about. */
import path from 'node:path'
import type { Command } from 'commander'
import { localnetPaths, type LocalnetPaths } from './plan.ts'

/** From `--home` of the command or of `assay localnet`. */
export function pathsOf(command: Command): LocalnetPaths {
  return localnetPaths(path.resolve(command.optsWithGlobals<{ home: string }>().home))
}
