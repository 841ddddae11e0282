/** One process of the system under test, started again whenever it has ended, as a supervisor would. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { eventually, mainFile } from '../../support/assay.ts'

/** A supervisor does not restart a program at once. */
const RESTART_MS = 100
const READY_SECONDS = 120

export type Program = {
  readonly name: string
  /** File of everything that it printed, over all its lives. */
  readonly logFile: string
  /** What it said when it became ready; undefined while it is away. */
  readonly details: Readonly<Record<string, string>> | undefined
  readonly pid: number | undefined
  /** Resolves when it is ready, at once where it is. */
  ready(): Promise<void>
  kill(): void
  /** Stops its clock, so to speak: it resumes where it left off, unaware that time has passed. */
  pause(milliseconds: number): Promise<void>
  /** Ends it for good, the hard way. */
  end(): Promise<void>
}

export type ProgramOptions = {
  readonly name: string
  readonly args: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly logFile: string
}

/** Starts `assay` with arguments, and keeps it running. */
export function startProgram({ name, args, environment, logFile }: ProgramOptions): Program {
  const log = fs.openSync(logFile, 'a')
  let details: Readonly<Record<string, string>> | undefined
  let isEnding = false
  let child = live()
  const running = keepRunning()

  function live(): ChildProcess {
    const started = spawn(process.execPath, [mainFile, ...args], {
      stdio: ['ignore', log, log, 'ipc'],
      env: { ...process.env, ...environment },
    })
    started.on('message', (message: { type: string; details: Record<string, string> }) => {
      if (message.type === 'ready') details = message.details
    })
    return started
  }

  async function keepRunning(): Promise<void> {
    for (;;) {
      await once(child, 'exit')
      details = undefined
      if (!isEnding) await sleep(RESTART_MS)
      if (isEnding) return
      child = live()
    }
  }

  return {
    name,
    logFile,
    get details() {
      return details
    },
    get pid() {
      return child.pid
    },
    async ready() {
      await eventually(() => details, READY_SECONDS)
    },
    kill: () => void child.kill('SIGKILL'),
    async pause(milliseconds) {
      const paused = child
      paused.kill('SIGSTOP')
      await sleep(milliseconds)
      paused.kill('SIGCONT')
    },
    async end() {
      isEnding = true
      child.kill('SIGKILL')
      await running
      fs.closeSync(log)
    },
  }
}
