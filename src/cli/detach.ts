/** `assay up --detach`: the same in a process of its own, which goes on after the terminal is closed. */
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { moduleFile } from '../base/moduleFile.ts'
import type { Home } from '../config/home.ts'
import { banner } from './banner.ts'
import { commandText } from './commandText.ts'
import { createProgress } from './progress.ts'
import { readUpFile, type UpFile } from './upFile.ts'

const LOOK_MS = 50
/** Characters of what a process that ended had to say. */
const MAX_LAST_WORDS = 8000

const mainFile = fileURLToPath(moduleFile(new URL('../main', import.meta.url)))

/**
 * Runs the program with these arguments in the background until its system is ready. Returns its details, or the exit code of a
 * process that ended before, whose last words go to standard error. SIGINT ends the process, too.
 */
async function startInBackground(
  home: Home,
  args: readonly string[],
): Promise<UpFile | { readonly code: number }> {
  fs.mkdirSync(home.logs, { recursive: true, mode: 0o700 })
  const file = path.join(home.logs, 'up.log')
  const log = fs.openSync(file, 'a', 0o600)
  const from = fs.fstatSync(log).size
  const child = spawn(process.execPath, [...process.execArgv, mainFile, ...args], {
    detached: true,
    // The banner holds secrets, which no log may.
    stdio: ['ignore', 'ignore', log],
  })
  fs.closeSync(log)
  let code: number | undefined
  child.once('exit', (exitCode) => (code = exitCode ?? 1))
  child.once('error', () => (code ??= 1))
  const interrupt = (): void => void child.kill('SIGTERM')
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt)
  for (;;) {
    const up = readUpFile(home.upFile)
    if (up !== undefined && up.pid === child.pid) {
      process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
      child.unref()
      return up
    }
    if (code !== undefined) {
      process.stderr.write(fs.readFileSync(file).subarray(from).toString().slice(-MAX_LAST_WORDS))
      return { code }
    }
    await sleep(LOOK_MS)
  }
}

/** Starts `assay up` with these arguments in the background, prints its banner, and returns the exit code. */
export async function upInBackground(home: Home, args: readonly string[]): Promise<number> {
  const progress = createProgress()
  progress.say('Starting in the background')
  const started = await startInBackground(home, args)
  progress.end()
  if ('code' in started) return started.code
  process.stdout.write(
    banner(started, {
      home: home.folder,
      colors: process.stdout.isTTY,
      missing: [],
      stop: commandText('down', home.folder),
    }),
  )
  return 0
}
