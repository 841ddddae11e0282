/**
 * Processes under one supervisor (D55): each restarted with back-off when it exits unexpectedly, all stopped in reverse
 * order.
 */
import { spawn, type ChildProcess } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { backOff } from '../base/backOff.ts'
import { UserError, type DamageError } from '../base/errors.ts'
import type { Log } from '../base/log.ts'
import { moduleFile } from '../base/moduleFile.ts'
import { rotateIfLarge, type Rotation } from './logs/rotate.ts'
import type { ServiceMessage } from './service.ts'
import type { Ending } from './storeDamage.ts'

/** The details that a process reported when it became ready. */
type Details = Readonly<Record<string, string>>

export type ChildSpec = {
  readonly name: string
  /** Arguments that follow the program's main file. */
  readonly args: readonly string[]
  /** Additional arguments of a restart, so that the process keeps the addresses that others already know. */
  readonly restartArgs?: (details: Details) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** Flags of Node.js. */
  readonly nodeOptions?: readonly string[]
  /** Why the process is not started again after an ending; undefined where a restart may help. */
  readonly damage?: (ending: Ending) => DamageError | undefined
}

export type Supervised = {
  readonly details: Details
  readonly pid: number | undefined
}

const ROTATE_MS = 2000
/** As log.max-size and log.keep. */
const DEFAULT_ROTATION: SupervisorOptions = { maxSize: 20_000_000, keep: 5 }
const HEALTHY_AFTER_MS = 60_000
const STOP_MS = 12_000

export type SupervisorOptions = Rotation & {
  /** Variables of every process. */
  readonly environment?: Readonly<Record<string, string>>
}

const mainFile = fileURLToPath(moduleFile(new URL('../main', import.meta.url)))

type Child = {
  readonly spec: ChildSpec
  process: ChildProcess | undefined
  /** Of the first start. */
  details: Details | undefined
  ending: Ending | undefined
  stopping: boolean
}

export type Supervisor = {
  /**
   * Starts a process and waits until it is ready. Throws UserError with the process's own message when it fails to
   * start.
   */
  start(spec: ChildSpec): Promise<Supervised>
  /** Stops everything, last started first. */
  stop(): Promise<void>
}

/**
 * A supervisor whose processes log to `<logFolder>/<name>.log`, which is rotated. `onDamage` is called with the reason why a process is not
 * started again (`ChildSpec.damage`).
 */
export function createSupervisor(
  logFolder: string,
  log: Log,
  onDamage: (error: DamageError) => void,
  { environment, ...rotation }: SupervisorOptions = DEFAULT_ROTATION,
): Supervisor {
  const children: Child[] = []
  fs.mkdirSync(logFolder, { recursive: true, mode: 0o700 })
  const logFileOf = ({ name }: ChildSpec): string => path.join(logFolder, `${name}.log`)
  const rotating = setInterval(() => {
    for (const { spec } of children) rotateLog(spec)
  }, ROTATE_MS)
  rotating.unref()

  function rotateLog(spec: ChildSpec): void {
    try {
      rotateIfLarge(logFileOf(spec), rotation)
    } catch (error) {
      // Such as a full disk. The log stays as it is, until the next attempt.
      log.warn({ err: error, process: spec.name }, 'the log could not be rotated')
    }
  }

  async function launch(child: Child): Promise<Supervised> {
    const { spec, details } = child
    const args = [...spec.args, ...((details && spec.restartArgs?.(details)) ?? [])]
    const logFile = logFileOf(spec)
    rotateLog(spec)
    const output = fs.openSync(logFile, 'a', 0o600)
    // Its own process group: Ctrl-C on the terminal reaches the supervisor alone, which then stops the others in order.
    const spawned = spawn(process.execPath, [...(spec.nodeOptions ?? []), mainFile, ...args], {
      detached: true,
      env: { ...process.env, ...environment, ...spec.environment },
      stdio: ['ignore', output, output, 'ipc'],
    })
    fs.closeSync(output)
    child.process = spawned
    return new Promise((resolve, reject) => {
      let failure: UserError | undefined
      spawned.on('message', (message: ServiceMessage) => {
        if (message.type === 'ready') resolve({ details: message.details, pid: spawned.pid })
        else failure = new UserError(message.message, message.advice)
      })
      spawned.on('exit', (code, signal) => {
        child.process = undefined
        child.ending = { code, signal, message: failure?.message }
        reject(
          failure ??
            spec.damage?.(child.ending) ??
            new UserError(
              `${spec.name} exited (${signal ?? code}) before it was ready`,
              `Its log is ${logFile}.`,
            ),
        )
      })
      spawned.on('error', (error) => {
        child.process = undefined
        reject(error)
      })
    })
  }

  async function keepAlive(child: Child): Promise<void> {
    let attempt = 0
    while (!child.stopping) {
      const since = performance.now()
      await exited(child)
      if (child.stopping) return
      const damage = child.ending && child.spec.damage?.(child.ending)
      if (damage !== undefined) return onDamage(damage)
      if (performance.now() - since > HEALTHY_AFTER_MS) attempt = 0
      const restartInMs = backOff(attempt++)
      log.warn({ process: child.spec.name, restartInMs }, 'exited unexpectedly, restarting')
      await sleep(restartInMs)
      if (child.stopping) return
      await launch(child).catch((error: unknown) =>
        log.error({ err: error, process: child.spec.name }, 'restart failed'),
      )
    }
  }

  return {
    async start(spec) {
      const child: Child = {
        spec,
        process: undefined,
        details: undefined,
        ending: undefined,
        stopping: false,
      }
      children.push(child)
      const supervised = await launch(child)
      child.details = supervised.details
      void keepAlive(child)
      return supervised
    },
    async stop() {
      clearInterval(rotating)
      for (const child of children.toReversed()) await stopChild(child, log)
    },
  }
}

function exited(child: Child): Promise<void> {
  return new Promise((resolve) => {
    if (child.process === undefined) resolve()
    else child.process.once('exit', () => resolve())
  })
}

async function stopChild(child: Child, log: Log): Promise<void> {
  child.stopping = true
  const running = child.process
  if (running === undefined) return
  const gone = exited(child)
  running.kill('SIGTERM')
  const timeout = setTimeout(() => {
    log.error({ process: child.spec.name }, 'did not stop in time, killing it')
    running.kill('SIGKILL')
  }, STOP_MS)
  await gone
  clearTimeout(timeout)
}
