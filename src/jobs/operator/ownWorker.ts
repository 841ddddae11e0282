/** The worker of an operator that was not given one: a child process, started again when it ends (D33, D55). */
import { fork, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import path from 'node:path'
import { backOff } from '../../base/backOff.ts'
import type { Log } from '../../base/log.ts'
import type { WorkerOptions } from '../worker/worker.ts'
import { WorkerError } from './workerClient.ts'

export type OwnWorker = {
  /** The address of the running worker; waits for a while when it is starting. Rejects with WorkerError when it does not come up. */
  url(signal: AbortSignal): Promise<string>
  close(): Promise<void>
}

/** A worker that ran this long starts its back-off anew. */
const STABLE_MS = 60_000
const START_MS = 20_000
const STOP_MS = 5_000

/** Processes are started from the built files, also when this file itself runs as TypeScript. */
const ENTRY = path
  .resolve(import.meta.dirname, '../worker/process.js')
  .replace(`${path.sep}src${path.sep}`, `${path.sep}dist${path.sep}`)

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
      log.error({ code, signal, restartInMs }, 'the TEE worker ended')
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
        throw new WorkerError(`the TEE worker did not start within ${START_MS / 1000} s`, true)
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
