/**
 * The worker of an operator that has no external one configured: a child process, restarted when it exits (D33, D55).
 */
import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { backOff } from '../../base/backOff.ts'
import type { Log } from '../../base/log.ts'
import { moduleFile } from '../../base/moduleFile.ts'
import type { WorkerOptions } from '../worker/worker.ts'
import { WorkerError } from './workerClient.ts'

export type OwnWorker = {
  /**
   * The address of the running worker; waits for a while if it is starting. Rejects with WorkerError when it fails to
   * start.
   */
  url(signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

/** After a worker has run for this long, its back-off is reset. */
const STABLE_MS = 60_000
const START_MS = 20_000
const STOP_MS = 5_000

const ENTRY = moduleFile(new URL('../worker/process', import.meta.url))

/** Starts a worker and keeps one running until it is closed. */
export function startOwnWorker(options: WorkerOptions, log: Log): OwnWorker {
  const events = new EventEmitter<{ ready: [string] }>()
  let child: ChildProcess | undefined
  let address: string | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosing = false

  const start = (attempt: number): void => {
    const startedAt = performance.now()
    const started = fork(ENTRY, [JSON.stringify({ ...options, logLevel: log.level })], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    child = started
    started.once('message', (message) => {
      if (!isReady(message)) return
      address = message.address
      events.emit('ready', message.address)
    })
    started.once('exit', (code, signal) => {
      address = undefined
      if (isClosing) return
      const next = performance.now() - startedAt > STABLE_MS ? 0 : attempt + 1
      const restartInMs = backOff(next)
      log.error({ code, signal, restartInMs }, 'the TEE worker exited')
      timer = setTimeout(() => start(next), restartInMs)
    })
  }
  start(0)
  return {
    async url(signal) {
      if (address !== undefined) return address
      const late = AbortSignal.any([signal, AbortSignal.timeout(START_MS)])
      const [ready] = await once(events, 'ready', { signal: late }).catch(() => [])
      signal.throwIfAborted()
      if (ready === undefined)
        throw new WorkerError(
          `the TEE worker did not start within ${START_MS / 1000} s`,
          true,
          true,
        )
      return String(ready)
    },
    async close() {
      isClosing = true
      clearTimeout(timer)
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      const killer = setTimeout(() => child?.kill('SIGKILL'), STOP_MS)
      await exited
      clearTimeout(killer)
    },
  }
}

function isReady(message: unknown): message is { readonly address: string } {
  return (
    typeof message === 'object' &&
    message !== null &&
    'address' in message &&
    typeof message.address === 'string'
  )
}
