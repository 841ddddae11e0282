/** `assay runtime install`: the inference runtime of tee jobs, in a folder that its user can write to. */
import fs from 'node:fs'
import path from 'node:path'
import { Command } from 'commander'
import { llamaFolderOf, llamaRuntimeFolders } from '../inference/llamaRuntime.ts'
import { addHomeOption } from './options.ts'
import { installLlama, isInstalled } from './installLlama.ts'

type Flags = { readonly home: string; readonly folder?: string }

async function install({ home, folder }: Flags): Promise<void> {
  const target = path.resolve(folder ?? llamaFolderOf(home))
  const places = folder === undefined ? [target, ...llamaRuntimeFolders()] : [target]
  const present = places.find(isInstalled)
  if (present === undefined) {
    // It may be the first to be there: what else a home will have is for its user alone.
    if (folder === undefined) fs.mkdirSync(home, { recursive: true, mode: 0o700 })
    await installLlama(target)
  }
  process.stdout.write(`${present ?? target}\n`)
}

/** The command. */
export function runtimeCommand(): Command {
  const command = addHomeOption(new Command('install'))
    .description('Install llama.cpp into the home folder, unless it is there; print its folder.')
    .option('--folder <folder>', 'another folder (llama_dir of an operator)')
    .action(install)
  return new Command('runtime')
    .description('Install what runs the models of tee jobs.')
    .addCommand(command)
}
