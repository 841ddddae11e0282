/**
 * A CometBFT that this node runs: it is started, its log is merged into ours, and it is restarted when it exits, until
 * it is stopped.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { backOff } from '../../base/backOff.ts'
import { UserError } from '../../base/errors.ts'
import { requireFree, type ListenAddress } from '../../base/listen.ts'
import { ownerOf, takeLock } from '../../base/lock.ts'
import type { Log } from '../../base/log.ts'
import { commandOf, processId, sendSignal } from '../../base/processes.ts'
import { createLastWords, hopelessEnd, isSignerAway } from './lastWords.ts'
import { parseLogLine } from './logLine.ts'

const HEALTHY_AFTER_MS = 60_000
const STOP_MS = 8000
/** Consecutive exits without any work in between, after which a restart will not help. */
const MOST_FAILURES = 5

export type CometbftProcessOptions = {
  readonly binary: string
  /** The home, which has CometBFT's layout (D22). */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
  readonly log: Log
  /** It exited several times in a row; the error contains CometBFT's last output. */
  readonly onGivenUp: (error: UserError) => void
  /** Records the process, so that the next start finds one that was left behind. */
  readonly pidFile: string
  /**
   * Locked by the process itself, as long as it runs (D67): it signs with the keys of the home, and may outlive the
   * node that started it. Undefined where the file system has no locks, and the node may do without.
   */
  readonly lockFile: string | undefined
  /** Unix socket on which it will listen; it does not remove one that it left when it was killed. */
  readonly socket: string | undefined
  /** Addresses on which it will listen, and the flags that change them. */
  readonly addresses: readonly { readonly address: ListenAddress; readonly flag: string }[]
}

export type CometbftProcess = {
  /** Sends SIGTERM, and SIGKILL after a timeout. */
  stop(): Promise<void>
}

/**
 * Ends a CometBFT of this home that outlived the node which started it: two of them would use the same files and keys.
 */
async function endLeftover({ pidFile, folder, log }: CometbftProcessOptions): Promise<void> {
  const pid = ownerOf(pidFile)
  // Without /proc, we cannot tell whether the pid now belongs to another process.
  if (pid !== undefined && (await commandOf(pid)).includes(` start --home ${folder} `)) {
    log.warn({ pid }, 'stopping a leftover CometBFT process')
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      if (ownerOf(pidFile) !== pid) break
      sendSignal(pid, signal)
      for (let waited = 0; ownerOf(pidFile) === pid && waited < STOP_MS; waited += 50)
        await sleep(50)
    }
  }
  fs.rmSync(pidFile, { force: true })
}

/**
 * Starts CometBFT on a home. It is running when this returns, but not yet ready. Throws UserError when another CometBFT
 * runs on the home, perhaps in another container, or another program listens on one of its addresses.
 */
export async function startCometbftProcess(
  options: CometbftProcessOptions,
): Promise<CometbftProcess> {
  const { binary, folder, environment, log, pidFile, lockFile } = options
  const stopping = new AbortController()
  let lastWords = ''
  let running: ChildProcess | undefined

  function launch(): Promise<void> {
    const words = createLastWords()
    if (options.socket !== undefined) fs.rmSync(options.socket, { force: true })
    // Its own process group: Ctrl-C in the terminal reaches only this process, which then stops both in order.
    const child = spawn(binary, ['start', '--home', folder], {
      detached: true,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe', lock?.descriptor ?? 'ignore'],
    })
    running = child
    if (child.pid !== undefined) fs.writeFileSync(pidFile, JSON.stringify(processId(child.pid)))
    for (const input of [child.stdout, child.stderr])
      if (input !== null)
        createInterface({ input }).on('line', (line) => {
          const entry = parseLogLine(line)
          words.read(entry)
          log[entry.level](entry.fields, entry.message)
        })
    return new Promise((resolve) => {
      child.once('error', (error) => {
        lastWords = error.message
        resolve()
      })
      // Its streams are read to their end: the reason is among the last lines.
      child.once('close', () => {
        lastWords = words.text()
        resolve()
      })
    })
  }

  async function keepAlive(): Promise<void> {
    for (let attempt = 0; !stopping.signal.aborted; attempt++) {
      const since = performance.now()
      await launch()
      running = undefined
      if (stopping.signal.aborted) return
      if (performance.now() - since > HEALTHY_AFTER_MS) attempt = 0
      if (isSignerAway(lastWords)) {
        attempt = 0
        log.warn('the remote signer is away: nothing is signed until it is back')
        continue
      }
      const hopeless = hopelessEnd(lastWords)
      if (hopeless !== undefined || attempt === MOST_FAILURES) {
        options.onGivenUp(hopeless ?? new UserError(`CometBFT keeps exiting: ${lastWords}`))
        return
      }
      const restartInMs = backOff(attempt)
      log.warn({ restartInMs, lastWords }, 'CometBFT exited unexpectedly, restarting')
      await sleep(restartInMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  await endLeftover(options)
  const lock = lockFile === undefined ? undefined : takeLock(lockFile, `the CometBFT of ${folder}`)
  try {
    for (const { address, flag } of options.addresses) await requireFree(address, flag)
  } catch (error) {
    lock?.release()
    throw error
  }
  const ended = keepAlive()
  return {
    async stop() {
      stopping.abort()
      running?.kill('SIGTERM')
      const force = setTimeout(() => running?.kill('SIGKILL'), STOP_MS)
      await ended
      clearTimeout(force)
      lock?.release()
      fs.rmSync(pidFile, { force: true })
    },
  }
}
