/**
 * Runs a command on the files of a stopped node in a child process (D89). A damaged file, or a failing disk under a memory
 * map, ends the process that reads it with a signal that cannot be caught: the parent is left to say what happened.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { fileURLToPath } from 'node:url'
import { UserError } from '../base/errors.ts'
import { EXIT_DAMAGED } from '../base/exitCodes.ts'
import { moduleFile } from '../base/moduleFile.ts'
import type { Home } from '../config/home.ts'
import { report } from './report.ts'
import { isMemoryFault } from './storeDamage.ts'

/** Says what is read from now on, for the sentence about a signal. */
export type Note = (place: string) => void

const CHILD = 'ASSAY_GUARDED'
const mainFile = fileURLToPath(moduleFile(new URL('../main', import.meta.url)))

/** Whether this process was started as the program, and not by other code that uses its commands. */
function isProgram(): boolean {
  const [, started = ''] = process.argv
  return fs.existsSync(started) && fs.realpathSync(started) === fs.realpathSync(mainFile)
}

function forward(child: ChildProcess): void {
  // Ctrl-C reaches both: the child ends, and then its parent.
  process.on('SIGINT', () => undefined)
  process.on('SIGTERM', () => child.kill('SIGTERM'))
}

async function runChild(folder: string): Promise<void> {
  const child = spawn(process.execPath, [...process.execArgv, mainFile, ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, [CHILD]: '1' },
  })
  let place = ''
  child.on('message', (message) => {
    if (typeof message === 'string') place = message
  })
  forward(child)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  process.exitCode = code ?? 1
  if (!isMemoryFault(signal)) return
  const where = place === '' ? '' : ` while it read ${place}`
  report(
    new UserError(
      `the store's file is damaged or its disk fails: ${signal} ended the process${where}`,
      `Check the disk, then run: assay node check --home ${folder}`,
    ),
  )
  process.exitCode = EXIT_DAMAGED
}

/** Runs `action` in a child process, whose output and exit code become those of this one. */
export async function guarded(home: Home, action: (note: Note) => Promise<void>): Promise<void> {
  if (!isProgram()) return await action(() => undefined)
  if (process.env[CHILD] !== '1') return await runChild(home.folder)
  process.on('disconnect', () => process.exit(1))
  process.channel?.unref()
  await action((place) => void process.send?.(place))
}
