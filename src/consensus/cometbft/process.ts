/** A CometBFT that this node runs: started, its log merged into ours, started again when it ends, and stopped. */
import { spawn, type ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../base/backOff.ts'
import { UserError } from '../../base/errors.ts'
import type { Log } from '../../base/log.ts'
import { parseLogLine } from './logLine.ts'

const HEALTHY_AFTER_MS = 60_000
const STOP_MS = 8000
/** Ends in a row without any work in between, after which nothing will get better by itself. */
const MOST_FAILURES = 5

export type CometbftProcessOptions = {
  readonly binary: string
  /** The home, which has CometBFT's shape (D22). */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly log: Log
  /** It ended several times in a row: CometBFT's last words. */
  readonly onGivenUp: (error: UserError) => void
  /** Where the process is written down, so that the next start finds one that was left behind. */
  readonly pidFile: string
}

export type CometbftProcess = {
  /** SIGTERM, and after a while SIGKILL. */
  stop(): Promise<void>
}

function commandOf(pid: number): string {
  try {
    return fs.readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** Ends a CometBFT of this home that outlived the node which started it: two would use the same files and keys. */
async function endLeftover({ pidFile, folder, log }: CometbftProcessOptions): Promise<void> {
  if (!fs.existsSync(pidFile)) return
  const pid = Number(fs.readFileSync(pidFile, 'utf8'))
  // It may be anybody's process by now.
  const isOurs = () => pid > 1 && commandOf(pid).includes(`start\0--home\0${folder}\0`)
  if (isOurs()) {
    log.warn({ pid }, 'ending a CometBFT that was left behind')
    process.kill(pid, 'SIGTERM')
    for (let waited = 0; isOurs() && waited < STOP_MS; waited += 50) await sleep(50)
    if (isOurs()) process.kill(pid, 'SIGKILL')
  }
  fs.rmSync(pidFile, { force: true })
}

/** Starts CometBFT on a home. It is running when this returns, and not yet ready. */
export async function startCometbftProcess(
  options: CometbftProcessOptions,
): Promise<CometbftProcess> {
  const { binary, folder, environment, log, pidFile } = options
  const stopping = new AbortController()
  let lastWords = ''
  let running: ChildProcess | undefined

  function launch(): Promise<void> {
    // Its own process group: Ctrl-C on the terminal reaches this process alone, which then stops both in order.
    const child = spawn(binary, ['start', '--home', folder], {
      detached: true,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    running = child
    if (child.pid !== undefined) fs.writeFileSync(pidFile, String(child.pid))
    for (const stream of [child.stdout, child.stderr])
      createInterface({ input: stream }).on('line', (line) => {
        const { level, message, fields } = parseLogLine(line)
        if (level === 'error') lastWords = message
        log[level](fields, message)
      })
    return new Promise((resolve) => {
      child.once('error', (error) => {
        lastWords = error.message
        resolve()
      })
      child.once('exit', () => resolve())
    })
  }

  async function keepAlive(): Promise<void> {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      const since = performance.now()
      await launch()
      running = undefined
      if (stopping.signal.aborted) return
      if (performance.now() - since > HEALTHY_AFTER_MS) attempt = 0
      if (attempt === MOST_FAILURES) {
        options.onGivenUp(new UserError(`CometBFT ends again and again: ${lastWords}`))
        return
      }
      const restartInMs = backOff(attempt)
      log.warn({ restartInMs, lastWords }, 'CometBFT ended unasked, restarting')
      await sleep(restartInMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  await endLeftover(options)
  const ended = keepAlive()
  return {
    async stop() {
      stopping.abort()
      running?.kill('SIGTERM')
      const force = setTimeout(() => running?.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(force)
      fs.rmSync(pidFile, { force: true })
    },
  }
}
