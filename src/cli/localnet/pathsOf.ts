/** The network's folder, for the commands of `assay localnet`. */
import path from 'node:path'
import type { Command } from 'commander'
import { localnetPaths, type LocalnetPaths } from './plan.ts'

/** From `--home` of the command or of `assay localnet`. */
export function pathsOf(command: Command): LocalnetPaths {
  return localnetPaths(path.resolve(command.optsWithGlobals<{ home: string }>().home))
}
